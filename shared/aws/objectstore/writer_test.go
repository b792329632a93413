package objectstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/objectstore"
)

// server records the requests for an object: "begin", "part 1", "abort".
type server struct {
	mu       sync.Mutex
	requests []string
	fail     string // the request that fails
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	query := r.URL.Query()
	var what string
	switch {
	case query.Has("uploads"):
		what = "begin"
	case r.Method == http.MethodPut && query.Has("partNumber"):
		what = "part " + query.Get("partNumber")
	case r.Method == http.MethodPost:
		what = "complete"
	case r.Method == http.MethodDelete:
		what = "abort"
	case r.Method == http.MethodPut:
		what = "put"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, what)
	w.Header().Set("ETag", `"e"`)
	switch {
	case what == s.fail:
		w.WriteHeader(http.StatusForbidden)
	case what == "begin":
		fmt.Fprint(w, `<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>`)
	case what == "complete":
		fmt.Fprint(w, `<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>`)
	}
}

func partsStore(t *testing.T, s *server) *objectstore.Store {
	t.Helper()
	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	return objectstore.New(s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(at.URL), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("k", "s", ""), RetryMaxAttempts: 1,
	}), "bucket")
}

// megabytes writes n megabytes in pieces that do not match the part size.
func megabytes(w io.Writer, n int) error {
	piece := bytes.Repeat([]byte("x"), 1<<20/4*3)
	for written := 0; written < n<<20; {
		k, err := w.Write(piece[:min(len(piece), n<<20-written)])
		if written += k; err != nil {
			return err
		}
	}
	return nil
}

func TestWriterUsesPartsForLargeObjects(t *testing.T) {
	t.Parallel()
	for size, want := range map[int][]string{
		0:  {"put"},
		7:  {"put"},
		8:  {"begin", "part 1", "complete"},
		20: {"begin", "part 1", "part 2", "part 3", "complete"},
	} {
		s := &server{}
		w := partsStore(t, s).Create(t.Context(), "key", "text/csv")
		require.NoError(t, megabytes(w, size))
		require.NoError(t, w.Complete())
		require.EqualValues(t, size<<20, w.Size())
		require.Equal(t, want, s.requests, "%d MB", size)
	}
}

func TestAbortedWriterLeavesNoParts(t *testing.T) {
	t.Parallel()
	s := &server{fail: "part 2"}
	ctx, cancel := context.WithCancel(t.Context())
	w := partsStore(t, s).Create(ctx, "key", "text/csv")
	err := megabytes(w, 20)
	require.ErrorContains(t, err, "write part 2 of key")
	cancel() // simulates a deadline
	require.Equal(t, err, w.Abort(err))
	require.Equal(t, []string{"begin", "part 1", "part 2", "abort"}, s.requests)

	small := partsStore(t, &server{}).Create(t.Context(), "key", "")
	because := errors.New("not wanted")
	require.Equal(t, because, small.Abort(because), "no multipart upload was started")
}
