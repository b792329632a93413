package awsendpoint_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// echoService responds with the operation's name.
type echoService struct{}

func (echoService) Target() string { return "Echo_2020" }

func (echoService) Call(_ context.Context, operation string, _ []byte) (any, error) {
	return map[string]string{"operation": operation}, nil
}

func requireBody(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
}

func newEndpoint(t *testing.T) http.Handler {
	t.Helper()
	handler, err := awsendpoint.Handler(awsendpoint.Config{Services: []awsjson.Service{echoService{}}, Lambda: requireBody("lambda"), Objects: requireBody("s3")})
	require.NoError(t, err)
	return handler
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	form := strings.NewReader(url.Values{"Action": {"GetCallerIdentity"}, "Version": {"2011-06-15"}}.Encode())
	for name, test := range map[string]struct {
		method, path string
		header       http.Header
		body         io.Reader
		status       int
		want         string
	}{
		"JSON protocol":           {"POST", "/", http.Header{"X-Amz-Target": {"Echo_2020.Do"}}, strings.NewReader("{}"), 200, `{"operation":"Do"}`},
		"unknown service":         {"POST", "/", http.Header{"X-Amz-Target": {"Kinesis_2013.Do"}}, strings.NewReader("{}"), 400, `the service \"Kinesis_2013\"`},
		"invoke":                  {"POST", "/2015-03-31/functions/f/invocations", nil, nil, 200, "lambda"},
		"unsupported REST API":    {"GET", "/2018-10-31/layers", nil, nil, 400, "does not implement GET /2018-10-31/layers"},
		"Smithy RPC":              {"POST", "/service/Sqs/operation/SendMessage", nil, nil, 400, "does not implement POST /service/Sqs/operation/SendMessage"},
		"query protocol":          {"POST", "/", http.Header{"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"}}, form, 400, "<Code>InvalidAction</Code><Message>the local endpoint does not implement GetCallerIdentity (version 2011-06-15)"},
		"object":                  {"GET", "/bucket/2015-03-31/functions/x", nil, nil, 200, "s3"},
		"buckets":                 {"GET", "/", nil, nil, 200, "s3"},
		"form upload to a bucket": {"POST", "/bucket", http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}, nil, 200, "s3"},
		"health":                  {"GET", awsendpoint.HealthPath, nil, nil, 200, `{"status":"ok","services":["Echo_2020"],"lambda":true,"s3":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(test.method, test.path, test.body)
			for name, values := range test.header {
				r.Header[name] = values
			}
			w := httptest.NewRecorder()
			newEndpoint(t).ServeHTTP(w, r)
			require.Equal(t, test.status, w.Code, w.Body)
			require.Contains(t, w.Body.String(), test.want)
		})
	}
}

func TestMissingServicesAreRefused(t *testing.T) {
	t.Parallel()
	handler, err := awsendpoint.Handler(awsendpoint.Config{})
	require.NoError(t, err)
	for _, path := range []string{"/bucket/key", "/2015-03-31/functions/f/invocations"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		require.Equal(t, http.StatusBadRequest, w.Code)
		require.Contains(t, w.Body.String(), path)
	}
	_, err = awsendpoint.Handler(awsendpoint.Config{Services: []awsjson.Service{nil}})
	require.Error(t, err)
}

func TestDatabaseIsLockedByOneProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	db, err := awsendpoint.OpenDatabase(path)
	require.NoError(t, err)
	_, err = awsendpoint.OpenDatabase(path)
	require.ErrorContains(t, err, "another stack")
	require.NoError(t, db.Close())
	db, err = awsendpoint.OpenDatabase(path)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// fakeObjects is an S3 that may be unavailable.
type fakeObjects struct {
	http.Handler
	ready bool
}

func (o fakeObjects) Ready(context.Context) bool { return o.ready }

func TestHealthWaitsForS3(t *testing.T) {
	t.Parallel()
	for ready, want := range map[bool]string{
		true:  `{"status":"ok","services":[],"lambda":false,"s3":true}`,
		false: `{"status":"starting","services":[],"lambda":false,"s3":false}`,
	} {
		handler, err := awsendpoint.Handler(awsendpoint.Config{Objects: fakeObjects{requireBody("s3"), ready}})
		require.NoError(t, err)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, awsendpoint.HealthPath, nil))
		require.JSONEq(t, want, w.Body.String())
		require.Equal(t, ready, w.Code == http.StatusOK)
	}
}
