package lambdahost

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// MaxStream is Lambda's limit for a streamed response, in bytes.
//
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html
const MaxStream = 200 << 20

// Stream is a response with a body that is read while the function still writes it. Reading the
// body ends in an error if the function fails, dies or writes too much. The caller closes
// the body. A function continues to run if its caller has disconnected, as on AWS.
type Stream struct {
	ContentType string
	Body        io.ReadCloser
}

// FunctionError is the error that a function returned instead of a response: the document
// {"errorMessage", "errorType", …}.
type FunctionError struct{ Document []byte }

func (e *FunctionError) Error() string { return string(e.Document) }

// InvokeStream runs a function, given by its name or ARN, as Lambda's
// InvokeWithResponseStream does: it returns when the function begins to respond. If the
// function fails instead, the error is a *FunctionError; other errors are those of
// Invoke.
func (h *Host) InvokeStream(ctx context.Context, function string, payload []byte) (*Stream, error) {
	p, err := h.findPool(function)
	if err != nil {
		return nil, err
	}
	sink := newResponseSink()
	inv, err := p.startInvocation(ctx, payload, p.function.Elastic, sink)
	if err != nil {
		return nil, err
	}
	select {
	case s := <-sink.begun:
		return s, nil
	case <-inv.done:
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), sink.reader.Close())
	}
	select {
	case s := <-sink.begun: // the response has begun and already ended
		return s, nil
	default:
		return nil, &FunctionError{Document: inv.outcome.output}
	}
}

// responseSink receives a response as it is written.
type responseSink struct {
	begun  chan *Stream // buffer of one
	reader *io.PipeReader
	writer *io.PipeWriter
}

func newResponseSink() *responseSink {
	s := &responseSink{begun: make(chan *Stream, 1)}
	s.reader, s.writer = io.Pipe()
	return s
}

// errStreamBroken ends a stream that its function did not write to the end.
var errStreamBroken = errors.New("the function did not finish its response")

// closeBody ends the body for the reader, with an error if it is incomplete.
func (s *responseSink) closeBody(a outcome) {
	if a.kind != "" {
		_ = s.writer.CloseWithError(errStreamBroken) // never fails
		return
	}
	_ = s.writer.Close() // never fails
}

// copyBody copies the body of a process's response to the stream and returns the outcome
// of the invocation.
func (s *responseSink) copyBody(r *http.Request) outcome {
	s.begun <- &Stream{ContentType: r.Header.Get("Content-Type"), Body: s.reader}
	n, err := io.Copy(s.writer, io.LimitReader(r.Body, MaxStream))
	rest, restErr := io.Copy(io.Discard, r.Body) // data that the caller did not read, or that exceeds the limit
	switch {
	case err != nil && !errors.Is(err, io.ErrClosedPipe), restErr != nil:
		return newFailure("crash", "Runtime.ExitError", "response incomplete")
	case err == nil && rest > 0:
		return newFailure("error", "Function.ResponseSizeTooLarge", "Response payload size (%d bytes) exceeded maximum allowed payload size (%d bytes).", n+rest, MaxStream)
	}
	return withTrailerError(r, outcome{})
}

// withTrailerError returns the outcome of a response that has been read to its end: a, unless
// the trailers report that the function failed half-way.
func withTrailerError(r *http.Request, a outcome) outcome {
	if errorType := r.Trailer.Get("Lambda-Runtime-Function-Error-Type"); errorType != "" {
		return newFailure("error", errorType, "read response failed")
	}
	return a
}
