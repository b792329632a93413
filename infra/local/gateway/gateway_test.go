package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/gateway"
)

// invokerFunc adapts a function to the Invoker interface.
type invokerFunc func(ctx context.Context, function string, payload []byte) ([]byte, string, error)

func (f invokerFunc) Invoke(ctx context.Context, function string, payload []byte) ([]byte, string, error) {
	return f(ctx, function, payload)
}

// respondWith returns a function that always returns the same response.
func respondWith(output string) invokerFunc {
	return func(context.Context, string, []byte) ([]byte, string, error) { return []byte(output), "", nil }
}

type harness struct {
	url    string
	issuer *gateway.Issuer
}

func setup(t *testing.T, f invokerFunc, change ...func(*gateway.Config)) *harness {
	t.Helper()
	issuer, err := gateway.NewIssuer("https://issuer.example", filepath.Join(t.TempDir(), "issuer.pem"))
	require.NoError(t, err)
	c := gateway.Config{
		Function: "api", Invoker: f, Verifier: issuer, PublicRoutes: []string{"/health"},
		Anonymous: gateway.Claims{"organisation": "1"},
		Ready:     func() bool { return true }, Logger: slog.New(slog.DiscardHandler),
	}
	for _, apply := range change {
		apply(&c)
	}
	h, err := gateway.New(c)
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("GET /local/token", gateway.TokenHandler(issuer, "read write"))
	mux.Handle("/", h)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return &harness{url: server.URL, issuer: issuer}
}

func (b *harness) do(t *testing.T, method, path string, body io.Reader, header http.Header) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, b.url+path, body)
	require.NoError(t, err)
	for name, values := range header {
		r.Header[name] = values
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(text)
}

// captureEvent calls the API once and returns the event that the function received.
func captureEvent(t *testing.T, method, path string, body io.Reader, header http.Header) map[string]any {
	t.Helper()
	var event map[string]any
	b := setup(t, func(_ context.Context, function string, payload []byte) ([]byte, string, error) {
		require.Equal(t, "api", function)
		require.NoError(t, json.Unmarshal(payload, &event))
		return []byte(`{"statusCode":204}`), "", nil
	})
	response, _ := b.do(t, method, path, body, header)
	require.Equal(t, http.StatusNoContent, response.StatusCode)
	return event
}

func TestEventHasPayloadFormat2(t *testing.T) {
	t.Parallel()
	event := captureEvent(t, http.MethodPost, "/api/imports/a%2Fb?page=1&type=USER&type=ORDER&q=%C3%A4", strings.NewReader(`{"a":"ä"}`), http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"test"}, "Cookie": {"a=1; b=2"},
		"X-Several": {"one", "two"}, "Idempotency-Key": {"k"}, "Accept-Encoding": {"identity"},
	})
	context := event["requestContext"].(map[string]any)
	when, err := time.Parse("02/Jan/2006:15:04:05 -0700", context["time"].(string))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), when, time.Minute)
	require.InDelta(t, float64(time.Now().UnixMilli()), context["timeEpoch"], 60_000)
	require.Len(t, context["requestId"], 36)
	host := context["domainName"].(string)
	require.Equal(t, host, event["headers"].(map[string]any)["host"])

	for _, name := range []string{"time", "timeEpoch", "requestId", "domainName"} {
		delete(context, name)
	}
	for _, name := range []string{"host", "x-forwarded-port"} {
		delete(event["headers"].(map[string]any), name)
	}
	want, err := os.ReadFile("testdata/event.json")
	require.NoError(t, err)
	got, err := json.Marshal(event)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(got))
}

func TestBinaryBodyIsBase64(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		contentType, body, want string
		encoded                 bool
	}{
		"JSON":                 {"application/json; charset=utf-8", `{}`, `{}`, false},
		"problem":              {"application/problem+json", `{}`, `{}`, false},
		"text":                 {"text/csv", "a,b", "a,b", false},
		"workbook":             {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "PK", "UEs=", true},
		"multipart":            {"multipart/form-data; boundary=x", "--x--", "LS14LS0=", true},
		"form":                 {"application/x-www-form-urlencoded", "a=1", "YT0x", true},
		"text in Windows-1252": {"text/csv", "\xe4", "5A==", true},
		"unnamed":              {"", "a", "YQ==", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event := captureEvent(t, http.MethodPut, "/", strings.NewReader(c.body), http.Header{"Content-Type": {c.contentType}})
			require.Equal(t, c.want, event["body"])
			require.Equal(t, c.encoded, event["isBase64Encoded"])
		})
	}
}

func TestFunctionResponseIsConverted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		output string
		status int
		header http.Header
		body   string
	}{
		"all response members": {
			`{"statusCode":202,"headers":{"location":"/x","content-type":"application/json"},"cookies":["a=1","b=2"],"body":"{\"ä\":1}"}`,
			202, http.Header{"Location": {"/x"}, "Set-Cookie": {"a=1", "b=2"}, "Content-Type": {"application/json"}}, `{"ä":1}`,
		},
		"binary":                     {`{"statusCode":200,"isBase64Encoded":true,"body":"UEsDBA=="}`, 200, nil, "PK\x03\x04"},
		"header with several values": {`{"statusCode":200,"multiValueHeaders":{"Link":["<a>","<b>"]}}`, 200, http.Header{"Link": {"<a>,<b>"}}, ""},
		"JSON without a status":      {`{"rows":3}`, 200, http.Header{"Content-Type": {"application/json"}}, `{"rows":3}`},
		"not JSON":                   {`oops`, 500, nil, `{"message":"Internal Server Error"}`},
		"invalid base64":             {`{"statusCode":200,"isBase64Encoded":true,"body":"%"}`, 500, nil, `{"message":"Internal Server Error"}`},
		"invalid status code":        {`{"statusCode":42}`, 500, nil, `{"message":"Internal Server Error"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, body := setup(t, respondWith(c.output)).do(t, http.MethodGet, "/", nil, nil)
			require.Equal(t, c.status, response.StatusCode)
			require.Equal(t, c.body, body)
			require.NotEmpty(t, response.Header.Get("Apigw-Requestid"))
			for name, values := range c.header {
				require.Equal(t, values, response.Header.Values(name))
			}
		})
	}
}

func TestErrorsMatchAPIGateway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		function invokerFunc
		status   int
		body     string
	}{
		"function error": {
			func(context.Context, string, []byte) ([]byte, string, error) {
				return []byte(`{"errorMessage":"secret"}`), "Unhandled", nil
			},
			500, `{"message":"Internal Server Error"}`,
		},
		"throttled": {
			func(context.Context, string, []byte) ([]byte, string, error) {
				return nil, "", awsjson.Errorf("TooManyRequestsException", "Rate Exceeded.")
			},
			503, `{"message":"Service Unavailable"}`,
		},
		"event too large": {
			func(context.Context, string, []byte) ([]byte, string, error) {
				return nil, "", awsjson.Errorf("RequestTooLargeException", "")
			},
			413, `{"message":"Request Entity Too Large"}`,
		},
		"too slow": {
			func(ctx context.Context, _ string, _ []byte) ([]byte, string, error) {
				<-ctx.Done()
				return nil, "", ctx.Err()
			},
			503, `{"message":"Service Unavailable"}`,
		},
		"function not started": {
			func(context.Context, string, []byte) ([]byte, string, error) { return nil, "", errors.New("secret") },
			500, `{"message":"Internal Server Error"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, c.function, func(c *gateway.Config) {
				if name == "too slow" {
					c.Timeout = 50 * time.Millisecond
				}
			})
			response, body := b.do(t, http.MethodGet, "/", nil, nil)
			require.Equal(t, c.status, response.StatusCode)
			require.Equal(t, c.body, body)
		})
	}
}

func TestTooLargeRequestIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, func(context.Context, string, []byte) ([]byte, string, error) {
		return []byte(`{"statusCode":204}`), "", nil
	})
	response, _ := b.do(t, http.MethodPost, "/", bytes.NewReader(make([]byte, 10<<20)), nil)
	require.Equal(t, http.StatusNoContent, response.StatusCode)
	response, body := b.do(t, http.MethodPost, "/", bytes.NewReader(make([]byte, 10<<20+1)), nil)
	require.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode)
	require.Equal(t, `{"message":"Request Entity Too Large"}`, body)
}

func TestRequestsBeforeReadyAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, respondWith(`{}`), func(c *gateway.Config) { c.Ready = func() bool { return false } })
	response, _ := b.do(t, http.MethodGet, "/health", nil, nil)
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
}

func TestNewRefusesIncompleteConfig(t *testing.T) {
	t.Parallel()
	_, err := gateway.New(gateway.Config{Function: "api"})
	require.Error(t, err)
}

func TestRoutesSelectFunction(t *testing.T) {
	t.Parallel()
	called := make(chan string, 1)
	b := setup(t, func(_ context.Context, function string, payload []byte) ([]byte, string, error) {
		var event struct{ RouteKey string }
		require.NoError(t, json.Unmarshal(payload, &event))
		called <- function + ": " + event.RouteKey
		return []byte(`{"statusCode":204}`), "", nil
	}, func(c *gateway.Config) { c.Routes = map[string]string{"GET /api/admin/{proxy+}": "admin"} })
	for request, want := range map[string]string{
		"GET /api/admin/organisations/1": "admin: GET /api/admin/{proxy+}",
		"PUT /api/admin/organisations/1": "api: $default",
		"GET /api/administrators":        "api: $default",
		"GET /api/imports":               "api: $default",
	} {
		method, path, _ := strings.Cut(request, " ")
		response, _ := b.do(t, method, path, nil, nil)
		require.Equal(t, http.StatusNoContent, response.StatusCode)
		require.Equal(t, want, <-called, request)
	}
}

// Requests below the path of API keys, and to public routes, reach the function without claims; others
// need a token.
func TestRoutesWithoutToken(t *testing.T) {
	t.Parallel()
	called := make(chan string, 1)
	b := setup(t, func(_ context.Context, _ string, payload []byte) ([]byte, string, error) {
		var event struct {
			RouteKey       string
			RequestContext struct{ Authorizer any }
		}
		require.NoError(t, json.Unmarshal(payload, &event))
		require.Nil(t, event.RequestContext.Authorizer)
		called <- event.RouteKey
		return []byte(`{"statusCode":204}`), "", nil
	}, func(c *gateway.Config) {
		c.KeyPath, c.TokenRequired, c.PublicRoutes = "/key", true, []string{"/health", "/problems/{code}"}
	})
	key := http.Header{"Authorization": {"Bearer lbk_1_x"}}
	for request, want := range map[string]string{
		"GET /problems/NOT_FOUND":       "GET /problems/{code}",
		"POST /key/api/imports":         "POST /key/{proxy+}",
		"GET /key/api/admin/x":          "GET /key/{proxy+}",
		"GET /problems/":                "",
		"GET /problems/NOT_FOUND/other": "",
		"POST /problems/NOT_FOUND":      "",
		"GET /key":                      "",
		"GET /keys/api/imports":         "",
		"GET /api/imports":              "",
	} {
		method, path, _ := strings.Cut(request, " ")
		response, _ := b.do(t, method, path, nil, key)
		if want == "" {
			require.Equal(t, http.StatusUnauthorized, response.StatusCode, request)
			continue
		}
		require.Equal(t, http.StatusNoContent, response.StatusCode, request)
		require.Equal(t, want, <-called, request)
	}
}
