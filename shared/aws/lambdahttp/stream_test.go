package lambdahttp_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/lambdahttp"
)

// signedRequest is a request from a caller authenticated by AWS.
func signedRequest() events.LambdaFunctionURLRequest {
	return events.LambdaFunctionURLRequest{
		RawPath: "/file", RawQueryString: "a=1&b=%20", Headers: map[string]string{"accept": "text/csv"},
		RequestContext: events.LambdaFunctionURLRequestContext{
			HTTP: events.LambdaFunctionURLRequestContextHTTPDescription{Method: "GET", Path: "/file"},
			Authorizer: &events.LambdaFunctionURLRequestContextAuthorizerDescription{
				IAM: &events.LambdaFunctionURLRequestContextAuthorizerIAMDescription{UserARN: "arn:aws:sts::000000000000:assumed-role/api/api"},
			},
		},
	}
}

// noFinisher is for handlers without work after the response.
func noFinisher(ctx context.Context, _ func(func())) context.Context { return ctx }

var noTimeout = lambdahttp.ReaderTimeout{Write: time.Hour, Abandon: func() {}}

func call(t *testing.T, e events.LambdaFunctionURLRequest, h http.HandlerFunc) *events.LambdaFunctionURLStreamingResponse {
	t.Helper()
	response, err := lambdahttp.Stream(h, noFinisher, noTimeout)(t.Context(), e)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Close() })
	return response
}

func TestStreamForwardsWritesImmediately(t *testing.T) {
	t.Parallel()
	read := make(chan struct{})
	response := call(t, signedRequest(), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Query", r.URL.Query().Get("b")+r.URL.Path+r.Header.Get("Accept"))
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "one")
		<-read
		_, _ = io.WriteString(w, "two")
	})
	require.Equal(t, http.StatusAccepted, response.StatusCode)
	require.Equal(t, " /filetext/csv", response.Headers["X-Query"])
	first := make([]byte, 3)
	_, err := io.ReadFull(response.Body, first)
	require.NoError(t, err)
	close(read)
	rest, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, "onetwo", string(first)+string(rest))
}

func TestStreamAbortsOnPanic(t *testing.T) {
	t.Parallel()
	response := call(t, signedRequest(), func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		panic(http.ErrAbortHandler)
	})
	text, err := io.ReadAll(response.Body)
	require.ErrorContains(t, err, "write response failed")
	require.Equal(t, "half", string(text))

	early := call(t, signedRequest(), func(http.ResponseWriter, *http.Request) { panic("at once") })
	require.Equal(t, http.StatusInternalServerError, early.StatusCode)
	_, err = io.ReadAll(early.Body)
	require.NoError(t, err)
}

func TestStreamEmptyResponseIsOK(t *testing.T) {
	t.Parallel()
	response := call(t, signedRequest(), func(http.ResponseWriter, *http.Request) {})
	require.Equal(t, http.StatusOK, response.StatusCode)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Empty(t, text)
}

func TestStreamRejectsUnsignedRequests(t *testing.T) {
	t.Parallel()
	e := signedRequest()
	e.RequestContext.Authorizer = nil
	response := call(t, e, func(http.ResponseWriter, *http.Request) { t.Error("an unsigned request was accepted") })
	require.Equal(t, http.StatusForbidden, response.StatusCode)
	require.Equal(t, "no-store", response.Headers["Cache-Control"])
}

func TestWriteFailsAfterReaderCloses(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	response := call(t, signedRequest(), func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		_, err := io.WriteString(w, "for nobody")
		failed <- err
	})
	require.NoError(t, response.Close())
	require.ErrorIs(t, <-failed, io.ErrClosedPipe)
}
