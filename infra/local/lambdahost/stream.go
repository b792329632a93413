package lambdahost

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// MaxStream is the most that Lambda streams of one response.
//
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html
const MaxStream = 200 << 20

// Stream is a response whose body comes while the function still writes it. The
// body ends in an error when the function fails, dies or writes too much, and is
// to be closed. A function whose caller has gone runs on, as on AWS.
type Stream struct {
	ContentType string
	Body        io.ReadCloser
}

// FunctionError is what a function said instead of a response: the document
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
	case s := <-sink.begun: // and ended since
		return s, nil
	default:
		return nil, &FunctionError{Document: inv.outcome.output}
	}
}

// responseSink takes a response as it is written.
type responseSink struct {
	begun  chan *Stream // has room for one
	reader *io.PipeReader
	writer *io.PipeWriter
}

func newResponseSink() *responseSink {
	s := &responseSink{begun: make(chan *Stream, 1)}
	s.reader, s.writer = io.Pipe()
	return s
}

// errStreamBroken ends a stream whose function has not written it to its end.
var errStreamBroken = errors.New("the function did not finish its response")

// closeBody lets the reader see that nothing more comes, and whether that is all.
func (s *responseSink) closeBody(a outcome) {
	if a.kind != "" {
		_ = s.writer.CloseWithError(errStreamBroken) // never fails
		return
	}
	_ = s.writer.Close() // never fails
}

// copyBody passes the body of a process's response on, and returns what is to be
// said of the invocation.
func (s *responseSink) copyBody(r *http.Request) outcome {
	s.begun <- &Stream{ContentType: r.Header.Get("Content-Type"), Body: s.reader}
	n, err := io.Copy(s.writer, io.LimitReader(r.Body, MaxStream))
	rest, restErr := io.Copy(io.Discard, r.Body) // what the caller left, or may not have
	switch {
	case err != nil && !errors.Is(err, io.ErrClosedPipe), restErr != nil:
		return newFailure("crash", "Runtime.ExitError", "the response ended before its end")
	case err == nil && rest > 0:
		return newFailure("error", "Function.ResponseSizeTooLarge", "Response payload size (%d bytes) exceeded maximum allowed payload size (%d bytes).", n+rest, MaxStream)
	}
	return withTrailerError(r, outcome{})
}

// withTrailerError is the outcome of a response that has been read to its end: a, unless
// the trailers say that the function failed half-way.
func withTrailerError(r *http.Request, a outcome) outcome {
	if errorType := r.Trailer.Get("Lambda-Runtime-Function-Error-Type"); errorType != "" {
		return newFailure("error", errorType, "the response could not be read to its end")
	}
	return a
}
