package conformance

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// waitTimeout bounds every wait for something that must happen.
const waitTimeout = stacktest.Timeout

// external returns the endpoint that was asked for instead of a local one.
func external() (url string, ok bool) {
	url = os.Getenv("AWS_ENDPOINT_URL")
	return url, url != ""
}

// onlyLocal skips a test of what only the local endpoint promises.
func onlyLocal(t *testing.T) {
	t.Helper()
	if _, ok := external(); ok {
		t.Skip("about the local endpoint only")
	}
}

// serve starts an endpoint in this process and returns its URL.
func serve(t *testing.T, config awsendpoint.Config) string {
	t.Helper()
	handler, err := awsendpoint.Handler(config)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// database opens a database for one test.
func database(t *testing.T) *bbolt.DB {
	t.Helper()
	db, err := awsendpoint.OpenDatabase(filepath.Join(t.TempDir(), "aws.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// clientConfig reaches an endpoint with the local credentials. Nothing is retried: one
// failure fails the test.
func clientConfig(url string) aws.Config {
	return aws.Config{
		Region:       s3.Region,
		BaseEndpoint: &url,
		Credentials:  credentials.NewStaticCredentialsProvider(s3.AccessKey, s3.SecretKey, ""),
		Retryer:      func() aws.Retryer { return aws.NopRetryer{} },
		HTTPClient:   httpClient{awshttp.NewBuildableClient()},
	}
}

// httpClient hides how the SDK writes a request's body. The SDK closes the body
// as soon as a response begins; net/http may then still look whether there is more
// of it, takes the end that a closed body's WriteTo reports for a failure, and
// closes the connection during the response: "use of closed network connection". The
// SDK's own retries, which clients here do without, are the remedy elsewhere.
// https://github.com/aws/aws-sdk-go-v2/issues/2737
type httpClient struct{ client *awshttp.BuildableClient }

// Do sends a request.
func (c httpClient) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(struct{ io.Reader }{r.Body})
	}
	return c.client.Do(r)
}

// unique names a resource that nobody else has.
func unique(prefix string) string {
	return prefix + "-" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
}

// cleaning is a context for cleaning up, when the test's own has ended.
func cleaning(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), waitTimeout)
	t.Cleanup(cancel)
	return ctx
}
