package sdkhttp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/sdkhttp"
)

// body behaves like a body of the SDK: it implements WriterTo and reports EOF after it has
// been closed.
type body struct{ *strings.Reader }

func (body) Close() error { return nil }

type recordingDoer struct{ request *http.Request }

func (s *recordingDoer) Do(r *http.Request) (*http.Response, error) {
	s.request = r
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

func TestBodyExposesOnlyRead(t *testing.T) {
	var s recordingDoer
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://queue.example/", body{strings.NewReader("a message")})
	require.NoError(t, err)
	r.ContentLength = int64(len("a message"))

	response, err := sdkhttp.New(&s).Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())

	_, writes := s.request.Body.(io.WriterTo)
	require.False(t, writes)
	require.Equal(t, r.ContentLength, s.request.ContentLength)
	text, err := io.ReadAll(s.request.Body)
	require.NoError(t, err)
	require.Equal(t, "a message", string(text))
}

func TestNilBodyStaysNil(t *testing.T) {
	for _, none := range []io.ReadCloser{nil, http.NoBody} {
		var s recordingDoer
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://bucket.example/", none)
		require.NoError(t, err)
		response, err := sdkhttp.New(&s).Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, r.Body, s.request.Body)
	}
}
