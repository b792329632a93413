package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestLargeFileIsUploadedInParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const size = 100<<20 + 1
	doc := decode[fields](b.announceUsers(t, nil, fields{"sizeBytes": size}), http.StatusCreated)
	id, upload := doc["identifier"].(string), doc["upload"].(fields)
	require.Equal(t, "up/load+1", upload["uploadId"])
	require.InEpsilon(t, 16<<20, upload["partSizeBytes"], 0)
	parts := upload["parts"].([]any)
	require.Len(t, parts, 7) // 6 of 16 MiB are 96
	require.Equal(t, fields{"partNumber": 1.0, "url": "https://bucket.example/uploads/1/" + id + "/source?part=1&size=16777216"}, parts[0])
	require.Equal(t, "https://bucket.example/uploads/1/"+id+"/source?part=7&size=4194305", parts[6].(fields)["url"])
	complete := request{method: "POST", path: upload["completeUrl"].(string)}

	b.objects.missing = 1
	b.do(t, complete).requireProblem(409, problem.UploadMissing)
	b.objects.missing = 0
	stranger := complete
	stranger.claims = map[string]string{"organisation_id": "2"}
	b.do(t, stranger).requireProblem(404, problem.NotFound)
	b.do(t, request{method: "POST", path: "/api/imports/" + id + "/upload/complete?uploadId=other"}).requireProblem(409, problem.UploadMissing)
	b.do(t, request{method: "POST", path: "/api/imports/" + id + "/upload/complete"}).requireProblem(400, problem.ParameterInvalid)
	require.Empty(t, b.workflow.started)

	require.NotNil(t, decode[fields](b.do(t, complete), http.StatusAccepted)["uploadedAt"])
	require.Equal(t, []job.Ref{{JobID: job.ID(id), OrganisationID: 1}}, b.workflow.started)
	require.Equal(t, http.StatusAccepted, b.do(t, complete).Code, "again")

	b.setStatus(t, id, job.Cancelled)
	b.do(t, complete).requireProblem(409, problem.StateConflict)
}

func TestFileAtPartLimitIsUploadedWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc := decode[fields](b.announceUsers(t, nil, fields{"sizeBytes": 100 << 20}), http.StatusCreated)
	require.Contains(t, doc["upload"], "url")
	require.NotContains(t, doc["upload"], "parts")
}

// An interrupted upload continues with the missing parts of the same multipart upload.
func TestInterruptedUploadContinues(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc := decode[fields](b.announceUsers(t, nil, fields{"sizeBytes": 100<<20 + 1}), http.StatusCreated)
	id := doc["identifier"].(string)
	pending := request{method: "GET", path: "/api/imports/" + id + "/upload"}

	b.objects.sent = []object.Part{{Number: 1, Size: 16 << 20}, {Number: 3, Size: 16 << 20}, {Number: 7, Size: 1}}
	found := decode[fields](b.do(t, pending), http.StatusOK)
	require.Equal(t, []any{1.0, 3.0}, found["arrivedParts"], "a part of the wrong size does not count as arrived")
	require.InEpsilon(t, 32<<20, found["arrivedBytes"], 0)
	upload := found["upload"].(fields)
	require.Equal(t, "up/load+1", upload["uploadId"])
	var missing []any
	for _, p := range upload["parts"].([]any) {
		missing = append(missing, p.(fields)["partNumber"])
	}
	require.Equal(t, []any{2.0, 4.0, 5.0, 6.0, 7.0}, missing)

	b.objects.begun = 5 // the bucket has aborted the upload
	found = decode[fields](b.do(t, pending), http.StatusOK)
	require.Equal(t, "up/load+6", found["upload"].(fields)["uploadId"])
	again := decode[fields](b.do(t, pending), http.StatusOK)
	require.Equal(t, "up/load+6", again["upload"].(fields)["uploadId"], "only one new upload is started")

	require.Equal(t, http.StatusAccepted, b.do(t, request{method: "POST", path: upload["completeUrl"].(string)[:len("/api/imports/"+id+"/upload/complete")] + "?uploadId=up%2Fload%2B6"}).Code)
	b.do(t, pending).requireProblem(409, problem.StateConflict)
	b.setStatus(t, id, job.Cancelled)
	b.do(t, pending).requireProblem(409, problem.StateConflict)
}

func TestPendingWholeUploadIsRenewed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc := decode[fields](b.announceUsers(t, nil, fields{"sizeBytes": 10}), http.StatusCreated)
	found := decode[fields](b.do(t, request{method: "GET", path: "/api/imports/" + doc["identifier"].(string) + "/upload"}), http.StatusOK)
	require.Equal(t, []any{}, found["arrivedParts"])
	require.Equal(t, doc["upload"].(fields)["url"], found["upload"].(fields)["url"])
}

// A repeated request does not begin another multipart upload, which would leave abandoned parts.
func TestRepeatedRequestKeepsMultipartUpload(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := map[string]string{"Idempotency-Key": "large"}
	first := decode[fields](b.announceUsers(t, key, fields{"sizeBytes": 100<<20 + 1}), http.StatusCreated)
	second := decode[fields](b.announceUsers(t, key, fields{"sizeBytes": 100<<20 + 1}), http.StatusOK)
	require.Equal(t, first["upload"].(fields)["uploadId"], second["upload"].(fields)["uploadId"])
}
