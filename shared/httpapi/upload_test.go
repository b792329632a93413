package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestLargeFileComesInParts(t *testing.T) {
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
	b.do(t, complete).refused(409, problem.UploadMissing)
	b.objects.missing = 0
	stranger := complete
	stranger.claims = map[string]string{"organisation_id": "2"}
	b.do(t, stranger).refused(404, problem.NotFound)
	b.do(t, request{method: "POST", path: "/api/imports/" + id + "/upload/complete?uploadId=other"}).refused(409, problem.UploadMissing)
	b.do(t, request{method: "POST", path: "/api/imports/" + id + "/upload/complete"}).refused(400, problem.ParameterInvalid)
	require.Empty(t, b.workflow.started)

	require.NotNil(t, decode[fields](b.do(t, complete), http.StatusAccepted)["uploadedAt"])
	require.Equal(t, []job.Ref{{JobID: job.ID(id), OrganisationID: 1}}, b.workflow.started)
	require.Equal(t, http.StatusAccepted, b.do(t, complete).Code, "again")

	b.move(t, id, job.Cancelled)
	b.do(t, complete).refused(409, problem.StateConflict)
}

func TestFileOfTheLimitComesWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc := decode[fields](b.announceUsers(t, nil, fields{"sizeBytes": 100 << 20}), http.StatusCreated)
	require.Contains(t, doc["upload"], "url")
	require.NotContains(t, doc["upload"], "parts")
}
