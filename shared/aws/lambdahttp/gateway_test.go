package lambdahttp_test

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/lambdahttp"
)

// binary is data that no text encoding preserves.
const binary = "PK\x03\x04\x00\xff\xfe\x80"

func event(method, path string) events.APIGatewayV2HTTPRequest {
	return events.APIGatewayV2HTTPRequest{RawPath: path, RequestContext: events.APIGatewayV2HTTPRequestContext{
		Stage: "$default", DomainName: "api.example",
		HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: method, SourceIP: "192.0.2.1"},
	}}
}

type claimsKey struct{}

// gateway passes events to h; the context of its requests contains their claims.
func gateway(h http.HandlerFunc) func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	return lambdahttp.Gateway(h, func(ctx context.Context, claims map[string]string) context.Context {
		return context.WithValue(ctx, claimsKey{}, claims)
	})
}

func TestGatewayForwardsRequests(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body []byte
	handle := gateway(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	})
	e := event("PUT", "/a b/ü")
	e.RawQueryString = "x=1&x=2&y=%C3%BC"
	e.Headers = map[string]string{"content-type": "application/octet-stream", "x-many": "1,2"}
	e.Cookies = []string{"a=1", "b=2"}
	e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(binary)), true

	out, err := handle(t.Context(), e)

	require.NoError(t, err)
	require.Equal(t, http.StatusOK, out.StatusCode)
	require.Equal(t, binary, string(body))
	require.Equal(t, "PUT", got.Method)
	require.Equal(t, "/a b/ü", got.URL.Path)
	require.Equal(t, []string{"1", "2"}, got.URL.Query()["x"])
	require.Equal(t, "ü", got.URL.Query().Get("y"))
	require.Equal(t, "application/octet-stream", got.Header.Get("Content-Type"))
	require.Equal(t, "1,2", got.Header.Get("X-Many"))
	require.Equal(t, "a=1; b=2", got.Header.Get("Cookie"))
	require.Equal(t, "api.example", got.Host)
	require.Equal(t, int64(len(binary)), got.ContentLength)
}

func TestGatewayForwardsResponses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		contentType, body string
		want              string
		encoded           bool
	}{
		"JSON":         {"application/json", `{"ü":1}`, `{"ü":1}`, false},
		"problem":      {"application/problem+json; charset=utf-8", `{}`, `{}`, false},
		"workbook":     {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", binary, base64.StdEncoding.EncodeToString([]byte(binary)), true},
		"invalid text": {"text/csv", "\xff\xfe", "//4=", true},
		"nothing":      {"", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handle := gateway(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				w.Header().Add("Vary", "Accept")
				w.Header().Add("Vary", "Origin")
				w.Header().Add("Set-Cookie", "a=1")
				w.Header().Add("Set-Cookie", "b=2")
				w.WriteHeader(http.StatusTeapot)
				_, _ = io.WriteString(w, c.body)
			})
			out, err := handle(t.Context(), event("GET", "/"))
			require.NoError(t, err)
			require.Equal(t, http.StatusTeapot, out.StatusCode)
			require.Equal(t, c.want, out.Body)
			require.Equal(t, c.encoded, out.IsBase64Encoded)
			require.Equal(t, "Accept, Origin", out.Headers["Vary"])
			require.Equal(t, []string{"a=1", "b=2"}, out.Cookies)
			require.NotContains(t, out.Headers, "Set-Cookie")
		})
	}
}

func TestGatewayStripsStageFromPath(t *testing.T) {
	t.Parallel()
	var path string
	handle := gateway(func(_ http.ResponseWriter, r *http.Request) { path = r.URL.Path })
	for _, c := range []struct{ stage, raw, want string }{
		{"$default", "/api/imports", "/api/imports"},
		{"", "/api/imports", "/api/imports"},
		{"prod", "/prod/api/imports", "/api/imports"},
		{"prod", "/prod", "/"},
		{"prod", "/products", "/products"},
	} {
		e := event("GET", c.raw)
		e.RequestContext.Stage = c.stage
		_, err := handle(t.Context(), e)
		require.NoError(t, err)
		require.Equal(t, c.want, path)
	}
}

func TestGatewayRejectsInvalidEvents(t *testing.T) {
	t.Parallel()
	handle := gateway(http.NotFound)
	broken := event("GET", "/")
	broken.Body, broken.IsBase64Encoded = "%%%", true
	for _, e := range []events.APIGatewayV2HTTPRequest{broken, event("BAD METHOD", "/")} {
		out, err := handle(t.Context(), e)
		require.NoError(t, err)
		require.Equal(t, http.StatusBadRequest, out.StatusCode)
		require.Equal(t, "no-store", out.Headers["Cache-Control"])
	}
}

func TestGatewayForwardsVerifiedClaims(t *testing.T) {
	t.Parallel()
	var got any
	handle := gateway(func(_ http.ResponseWriter, r *http.Request) { got = r.Context().Value(claimsKey{}) })
	e := event("GET", "/")
	claims := map[string]string{"scope": "imports:read"}
	e.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: claims},
	}
	_, err := handle(t.Context(), e)
	require.NoError(t, err)
	require.Equal(t, claims, got)
	e.RequestContext.Authorizer = nil
	_, err = handle(t.Context(), e)
	require.NoError(t, err)
	require.Nil(t, got)
}

// A handler's deadline is before the invocation's, so that it can still report the
// timeout.
func TestHandlerDeadlinePrecedesInvocationDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 29*time.Second)
		defer cancel()
		out, err := gateway(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			w.WriteHeader(http.StatusServiceUnavailable)
		})(ctx, event("GET", "/"))
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, out.StatusCode)
		require.NoError(t, ctx.Err(), "the invocation's own deadline has not passed")
	})
}
