package lambdahttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Stream adapts h to a function URL with the invoke mode RESPONSE_STREAM: the response
// is sent while it is written. Requests that AWS has not authenticated get 403; otherwise
// only the function's configuration would reject them.
//
// A handler that panics with http.ErrAbortHandler after it has begun to respond interrupts
// the response: the runtime reports to Lambda that the stream has failed, and the
// client can see that it is incomplete. aws-lambda-go's lambdaurl cannot do that.
//
// A response with a stalled reader is interrupted too, as configured by timeout.
//
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html#runtimes-custom-response-streaming
//
// withAfter returns a context from which the handler can get a function that registers
// work to do after the response has been sent or abandoned: the handler itself ends earlier.
func Stream(h http.Handler, withAfter func(ctx context.Context, after func(do func())) context.Context, timeout ReaderTimeout) func(ctx context.Context, e events.LambdaFunctionURLRequest) (*events.LambdaFunctionURLStreamingResponse, error) {
	return func(ctx context.Context, e events.LambdaFunctionURLRequest) (*events.LambdaFunctionURLStreamingResponse, error) {
		if a := e.RequestContext.Authorizer; a == nil || a.IAM == nil || a.IAM.UserARN == "" {
			return &events.LambdaFunctionURLStreamingResponse{StatusCode: http.StatusForbidden, Headers: noStoreHeader()}, nil
		}
		r, err := requestFromURLEvent(ctx, e)
		if err != nil {
			return &events.LambdaFunctionURLStreamingResponse{StatusCode: http.StatusBadRequest, Headers: noStoreHeader()}, nil //nolint:nilerr // the caller's mistake, not an invocation's
		}
		sending := newResponseStream(timeout)
		return sending.serve(h, r.WithContext(withAfter(ctx, sending.onFinish))), nil
	}
}

// requestFromURLEvent returns the HTTP request of an event without its body,
// which no streaming endpoint reads.
func requestFromURLEvent(ctx context.Context, e events.LambdaFunctionURLRequest) (*http.Request, error) {
	r, err := baseRequest(ctx, e.RequestContext.HTTP.Method, http.NoBody, e.Headers)
	if err != nil {
		return nil, err
	}
	r.URL = &url.URL{Path: e.RawPath, RawQuery: e.RawQueryString}
	r.Host, r.RemoteAddr = e.RequestContext.DomainName, e.RequestContext.HTTP.SourceIP
	return r, nil
}

// errAborted is the error that Lambda gets for an interrupted response.
var errAborted = errors.New("write response failed")

// writer is the http.ResponseWriter of a stream.
type writer struct {
	header       http.Header
	pipe         *io.PipeWriter
	body         io.ReadCloser
	started      chan *events.LambdaFunctionURLStreamingResponse // buffer of one
	written      bool
	failed       bool
	writeTimeout time.Duration // until a piece has been read
}

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) {
	if w.written {
		return
	}
	w.written = true
	response := &events.LambdaFunctionURLStreamingResponse{StatusCode: status, Headers: make(map[string]string, len(w.header)), Body: w.body}
	for name, values := range w.header {
		response.Headers[name] = strings.Join(values, ", ")
	}
	w.started <- response
}

// Write writes p in pieces. It fails if a piece is not read within the timeout.
func (w *writer) Write(p []byte) (written int, err error) {
	w.WriteHeader(http.StatusOK)
	for piece := range slices.Chunk(p, maxWriteSize) {
		n, err := w.writeBlock(piece)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// maxWriteSize is small enough for any active reader to read it in time.
const maxWriteSize = 64 << 10

func (w *writer) writeBlock(p []byte) (int, error) {
	late := time.AfterFunc(w.writeTimeout, func() { _ = w.pipe.CloseWithError(errAborted) }) // never fails
	defer late.Stop()
	return w.pipe.Write(p)
}

// abort interrupts the response, or responds with status 500 if it has not begun.
func (w *writer) abort() {
	w.failed = true
	if !w.written {
		w.WriteHeader(http.StatusInternalServerError)
		_ = w.pipe.Close() // never fails
		return
	}
	_ = w.pipe.CloseWithError(errAborted) // never fails
}
