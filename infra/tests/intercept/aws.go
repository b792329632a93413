package intercept

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Request is a function's request to AWS that has not been forwarded yet.
type Request struct {
	Process
	*http.Request
	// Operation is the API's name of the operation, such as "SendTaskSuccess"; for S3, the
	// method and the key, such as "GET uploads/1/…".
	Operation string
	// Text is the body of an operation of the JSON protocol, which a hook may replace;
	// nil for S3.
	Text     []byte
	original []byte // Text as sent by the function
}

// AWSHook handles a request. forward sends it and returns the response, whose
// body may be replaced; an operation of the JSON protocol may be sent more than
// once. The function receives the returned response; nil closes its connection. A
// hook may be called for several requests concurrently.
type AWSHook func(r *Request, forward func() *http.Response) *http.Response

// OnAWS calls hook for all requests until the test ends.
func (b *Interceptor) OnAWS(t *testing.T, hook AWSHook) {
	b.aws.Store(&hook)
	t.Cleanup(func() { b.aws.CompareAndSwap(&hook, nil) })
}

var appID = regexp.MustCompile(`\bapp/(\S+)`)

func (b *Interceptor) serveAWS(w http.ResponseWriter, in *http.Request) {
	r := &Request{Request: in, Operation: in.Method + " " + objectKey(in)}
	if match := appID.FindStringSubmatch(in.UserAgent()); match != nil {
		if process, endpoint, err := parseProcess(match[1]); err == nil {
			r.Process = process
			b.endpoint.Store(&endpoint)
		}
	}
	if target := in.Header.Get("X-Amz-Target"); target != "" {
		_, r.Operation, _ = strings.Cut(target, ".")
		text, err := io.ReadAll(in.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // the function has ended
		}
		r.Text, r.original = text, text
	}
	forward := func() *http.Response { return b.forward(r) }
	var answer *http.Response
	if hook := b.aws.Load(); hook != nil {
		answer = (*hook)(r, forward)
	} else {
		answer = forward()
	}
	if answer == nil {
		panic(http.ErrAbortHandler)
	}
	reply(w, answer)
}

// objectKey returns the path without the bucket.
func objectKey(r *http.Request) string {
	_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return key
}

// forward sends a request to the stack's address. The Host header is unchanged, because it is
// part of the signature. forward returns nil if the stack no longer listens.
func (b *Interceptor) forward(r *Request) *http.Response {
	endpoint := b.endpoint.Load()
	if endpoint == nil {
		return nil
	}
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.RequestURI = "http", *endpoint, ""
	if r.Text != nil {
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(r.Text)), int64(len(r.Text))
	}
	if !bytes.Equal(r.Text, r.original) && resign(out, r.Text) != nil {
		return nil
	}
	answer, err := b.transport.RoundTrip(out)
	if err != nil {
		return nil
	}
	return answer
}

// reply sends a response. If its body is shorter than its length, the connection is closed.
func reply(w http.ResponseWriter, answer *http.Response) {
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_ = http.NewResponseController(w).Flush()
	if n, err := io.Copy(w, answer.Body); err != nil || n < answer.ContentLength && answer.Request.Method != http.MethodHead {
		panic(http.ErrAbortHandler)
	}
}

// Response returns a response of AWS with that status and body.
func Response(r *Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{}, Request: r.Request,
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
	}
}
