package inputs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

func dropFolderCases() []promise {
	return []promise{
		{"drop keys with `+` and spaces decoded; an unknown prefix is quarantined with a note beside it", map[string]testCase{
			"plus and spaces":         dropUnderEncodedKey("1/USER/-/-/a+b c/Mitglieder & Gäste 100%.csv"),
			"percent signs":           dropUnderEncodedKey("1/USER/-/a%2Fb%20c.csv"),
			"unknown type":            requireQuarantined("1/PLANET/-/a+b c.csv", "IMPORT_TYPE_UNKNOWN"),
			"unknown organisation":    requireQuarantined("999/USER/-/x.csv", "NOT_FOUND"),
			"no organisation":         requireQuarantined("one/USER/-/x.csv", "NOT_FOUND"),
			"too shallow":             requireQuarantined("x.csv", "NOT_FOUND"),
			"another's period":        requireQuarantined("1/MEMBERSHIP/3/x.csv", "NOT_FOUND"),
			"a number written oddly":  requireQuarantined("01/USER/-/x.csv", "NOT_FOUND"),
			"a name of control signs": requireQuarantined("1/USER/-/a\tb.csv", "FILENAME_INVALID"),
		}},
		{"presigned upload of another size or checksum refused", map[string]testCase{
			"shorter":          presignedMismatch("email,name\nshort@example.org,S\n", func(file string) string { return file[:len(file)-1] }),
			"longer":           presignedMismatch("email,name\nlong@example.org,L\n", func(file string) string { return file + "x" }),
			"another checksum": presignedMismatch("email,name\nsum@example.org,A\n", func(file string) string { return strings.Replace(file, ",A", ",B", 1) }),
		}},
	}
}

// dropUnderEncodedKey drops a file in a place with a name that needs decoding.
func dropUnderEncodedKey(place string) testCase {
	return func(t *testing.T, w *harness) {
		email := hex.EncodeToString([]byte(place[len(place)-9:])) + "@example.org"
		w.bucket.put(t, "drop/"+place, "email,name\n"+email+",D\n")
		var result struct{ Status, ObjectKey string }
		require.NoError(t, json.Unmarshal([]byte(w.bucket.await(t, "results/"+place+".result.json")), &result))
		require.Equal(t, "COMPLETED", result.Status)
		require.Equal(t, "drop/"+place, result.ObjectKey)
		require.Equal(t, 1, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM users u JOIN import_jobs j ON j.id = u.source_job WHERE u.email = $1 AND j.object_key = $2`, email, "drop/"+place))
	}
}

func requireQuarantined(place, code string) testCase {
	return func(t *testing.T, w *harness) {
		const file = "email,name\nquarantined@example.org,Q\n"
		w.bucket.put(t, "drop/"+place, file)
		var reason struct{ ObjectKey, Code, Message string }
		require.NoError(t, json.Unmarshal([]byte(w.bucket.await(t, "drop-quarantine/"+place+".reason.json")), &reason))
		require.Equal(t, code, reason.Code, reason.Message)
		requireSentence(t, reason.Message)
		t.Logf("quarantined %s: %s", reason.Code, reason.Message)
		require.Equal(t, "drop/"+place, reason.ObjectKey)
		require.Equal(t, file, w.bucket.await(t, "drop-quarantine/"+place))
		w.Await(t, "the file leaves the drop folder", func() bool {
			_, err := w.bucket.get(t.Context(), "drop/"+place)
			return err != nil
		})
		require.Zero(t, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_jobs WHERE object_key = $1`, "drop/"+place))
	}
}

// presignedMismatch announces one file and sends another one to its URL.
func presignedMismatch(file string, sent func(string) string) testCase {
	return func(t *testing.T, w *harness) {
		sum := sha256.Sum256([]byte(file))
		body, err := json.Marshal(rawclient.CreateRequest{ImportType: "USER", Filename: "p.csv", SizeBytes: int64(len(file)), SHA256: hex.EncodeToString(sum[:]), AutoStart: true})
		require.NoError(t, err)
		var j rawclient.Job
		require.NoError(t, w.Do(t.Context(), http.MethodPost, "/api/imports", "application/json", strings.NewReader(string(body)), &j))
		put, err := http.NewRequestWithContext(t.Context(), j.Upload.Method, j.Upload.URL, strings.NewReader(sent(file)))
		require.NoError(t, err)
		for name, value := range j.Upload.Headers {
			put.Header.Set(name, value)
		}
		got, err := http.DefaultClient.Do(put)
		require.NoError(t, err)
		got.Body.Close()
		require.Equal(t, 4, got.StatusCode/100, "the bucket refuses the upload: %s", got.Status)
		_, err = w.bucket.get(t.Context(), "uploads/1/"+j.Identifier+"/source")
		require.Error(t, err, "no object is stored")
		w.requireRefused(t, request{method: "POST", path: "/api/imports/" + j.Identifier + "/start"}, 409, "UPLOAD_MISSING")
	}
}
