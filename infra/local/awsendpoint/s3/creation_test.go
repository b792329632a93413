package s3

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

func TestParseCreation(t *testing.T) {
	t.Parallel()
	form := http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}
	for name, test := range map[string]struct {
		method, target string
		header         http.Header
		want           creation
	}{
		"put":                         {"PUT", "/b/k/l.csv", nil, creation{bucket: "b", key: "k/l.csv", reason: reasonPut}},
		"PUT by the SDK":              {"PUT", "/b/k?x-id=PutObject", nil, creation{bucket: "b", key: "k", reason: reasonPut}},
		"presigned PUT":               {"PUT", "/b/a%20b?X-Amz-Signature=1&X-Amz-Date=2", nil, creation{bucket: "b", key: "a b", reason: reasonPut}},
		"copy":                        {"PUT", "/b/k", http.Header{"X-Amz-Copy-Source": {"b/o"}}, creation{bucket: "b", key: "k", reason: reasonCopy}},
		"complete":                    {"POST", "/b/k?uploadId=1", nil, creation{bucket: "b", key: "k", reason: reasonComplete}},
		"form":                        {"POST", "/b", form, creation{bucket: "b", reason: reasonForm}},
		"form upload, trailing slash": {"POST", "/b/", form, creation{bucket: "b", reason: reasonForm}},
		"part":                        {"PUT", "/b/k?partNumber=1&uploadId=2", nil, creation{}},
		"start of a multipart upload": {"POST", "/b/k?uploads", nil, creation{}},
		"tags":                        {"PUT", "/b/k?tagging", nil, creation{}},
		"create a bucket":             {"PUT", "/b", nil, creation{}},
		"delete several objects":      {"POST", "/b?delete", nil, creation{}},
		"get":                         {"GET", "/b/k", nil, creation{}},
		"list buckets":                {"GET", "/", nil, creation{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(test.method, test.target, nil)
			r.Header = test.header
			got, ok := parseCreation(r)
			require.Equal(t, test.want, got)
			require.Equal(t, test.want != creation{}, ok)
		})
	}
}

func TestFormKey(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status   int
		location string
		want     string
	}{
		"no content": {204, "http://127.0.0.1:1/b/drop%2Fa%20b.csv", "drop/a b.csv"},
		"redirect":   {303, "https://x.example/done?bucket=b&key=drop%2Fa+b.csv", "drop/a b.csv"},
		"none":       {204, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key, ok := formKey("b", &http.Response{StatusCode: test.status, Header: http.Header{"Location": {test.location}}})
			require.Equal(t, test.want, key)
			require.Equal(t, test.want != "", ok)
		})
	}
}

// fakeStore responds like a child with one object, last modified at the given time.
type fakeStore struct {
	path     string
	modified time.Time
}

func (s fakeStore) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	if r.URL.Path != s.path {
		answer.WriteHeader(http.StatusNotFound)
		return answer.Result(), nil
	}
	answer.Header().Set("Last-Modified", s.modified.UTC().Format(http.TimeFormat))
	answer.Header().Set("ETag", `"e"`)
	answer.Header().Set("Content-Length", "3")
	return answer.Result(), nil
}

// An upload that was in progress when the stack was killed is announced if the object exists and
// is new, and otherwise dropped.
func TestResolveInterruptedUpload(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 3, 1, 12, 0, 0, 700e6, time.UTC)
	for name, test := range map[string]struct {
		stored fakeStore
		raised bool
	}{
		"stored":                    {fakeStore{"/b/k", begun.Add(time.Second)}, true},
		"stored in the same second": {fakeStore{"/b/k", begun.Truncate(time.Second)}, true},
		"older object":              {fakeStore{"/b/k", begun.Add(-time.Second)}, false},
		"no object":                 {fakeStore{"/b/other", begun}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := bbolt.Open(filepath.Join(t.TempDir(), "db"), 0o600, nil)
			require.NoError(t, err)
			defer db.Close()
			j, err := openJournal(db)
			require.NoError(t, err)
			stopped, stop := context.WithCancel(t.Context())
			stop() // nothing is delivered
			g := &Gateway{journal: j, objects: newObjects(test.stored), stopped: stopped, stop: stop}

			i := intent{Bucket: "b", Key: "k", Reason: reasonComplete, At: begun}
			id, err := j.addIntent(i)
			require.NoError(t, err)
			require.NoError(t, g.resolveIntent(t.Context(), id, i))

			e, found, err := j.get(id)
			require.NoError(t, err)
			require.Equal(t, test.raised, found)
			if test.raised {
				require.Equal(t, reasonComplete, e.Event.Reason)
				require.Equal(t, int64(3), e.Event.Size)
				require.Equal(t, "e", e.Event.ETag)
				require.Len(t, e.Event.Sequencer, 16)
			}
		})
	}
}

func TestNewRefusesIncompleteConfig(t *testing.T) {
	t.Parallel()
	_, err := New(t.Context(), Config{Prefixes: []string{"x"}})
	for _, fault := range []string{"folder", "database", "command", "announce"} {
		require.ErrorContains(t, err, fault)
	}
	require.True(t, strings.HasPrefix(err.Error(), "local S3:"))
}
