package lambdahttp

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// Gateway adapts h to events of an API Gateway HTTP API (payload format 2.0). withClaims
// returns the context of a request after the gateway has verified its token; it receives
// all claims as text. An event that is not a request gets a 400.
//
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
func Gateway(h http.Handler, withClaims func(context.Context, map[string]string) context.Context) func(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	return func(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		if a := e.RequestContext.Authorizer; a != nil && a.JWT != nil {
			ctx = withClaims(ctx, a.JWT.Claims)
		}
		ctx, cancel := beforeDeadline(ctx)
		defer cancel()
		r, err := requestFromGatewayEvent(ctx, e)
		if err != nil {
			return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusBadRequest, Headers: noStoreHeader()}, nil //nolint:nilerr // the caller's mistake, not an invocation's
		}
		w := &response{header: make(http.Header)}
		h.ServeHTTP(w, r)
		return w.event(), nil
	}
}

// responseMargin is the part of an invocation reserved for the response to a request that takes
// too long: otherwise Lambda ends the function, and the gateway sends its own error.
const responseMargin = 2 * time.Second

func beforeDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-responseMargin))
}

// requestFromGatewayEvent returns the HTTP request of an event.
func requestFromGatewayEvent(ctx context.Context, e events.APIGatewayV2HTTPRequest) (*http.Request, error) {
	body := []byte(e.Body)
	if e.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(e.Body); err != nil {
			return nil, fmt.Errorf("decode body of event: %w", err)
		}
	}
	r, err := baseRequest(ctx, e.RequestContext.HTTP.Method, bytes.NewReader(body), e.Headers)
	if err != nil {
		return nil, err
	}
	r.URL = &url.URL{Path: requestPath(e), RawQuery: e.RawQueryString}
	if len(e.Cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(e.Cookies, "; "))
	}
	r.Host, r.RemoteAddr = e.RequestContext.DomainName, e.RequestContext.HTTP.SourceIP
	return r, nil
}

// requestPath returns the event's path, which HTTP APIs decode, without the stage's name,
// which they prepend unless the stage is $default.
func requestPath(event events.APIGatewayV2HTTPRequest) string {
	stage := event.RequestContext.Stage
	if stage == "" || stage == "$default" {
		return event.RawPath
	}
	rest, ok := strings.CutPrefix(event.RawPath, "/"+stage)
	if !ok || rest != "" && rest[0] != '/' {
		return event.RawPath
	}
	return "/" + strings.TrimPrefix(rest, "/")
}

// response collects a handler's response.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// event returns the response in API Gateway's format: one value per header, cookies
// separate, and everything but text in base64.
func (w *response) event() events.APIGatewayV2HTTPResponse {
	w.WriteHeader(http.StatusOK)
	out := events.APIGatewayV2HTTPResponse{StatusCode: w.status, Headers: make(map[string]string, len(w.header))}
	for name, values := range w.header {
		if name == "Set-Cookie" {
			out.Cookies = values
			continue
		}
		out.Headers[name] = strings.Join(values, ", ")
	}
	if isText(w.header.Get("Content-Type")) && utf8.Valid(w.body.Bytes()) {
		out.Body = w.body.String()
		return out
	}
	out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(w.body.Bytes()), w.body.Len() > 0
	return out
}

// isText reports whether a content type is text.
func isText(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") {
		return true
	}
	switch kind {
	case "application/json", "application/yaml", "application/x-ndjson":
		return true
	}
	return false
}
