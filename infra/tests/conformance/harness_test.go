package conformance

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/aws/sdkhttp"
)

// waitTimeout bounds every wait for something that must happen.
const waitTimeout = stacktest.Timeout

// configuredEndpoint returns the endpoint that was asked for instead of a local one.
func configuredEndpoint() (url string, ok bool) {
	url = os.Getenv("AWS_ENDPOINT_URL")
	return url, url != ""
}

// skipUnlessLocal skips a test of what only the local endpoint promises.
func skipUnlessLocal(t *testing.T) {
	t.Helper()
	if _, ok := configuredEndpoint(); ok {
		t.Skip("about the local endpoint only")
	}
}

// startEndpoint starts an endpoint in this process and returns its URL.
func startEndpoint(t *testing.T, config awsendpoint.Config) string {
	t.Helper()
	if testing.Short() {
		t.Skip("tries what the local endpoint promises")
	}
	handler, err := awsendpoint.Handler(config)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// openDatabase opens a database for one test.
func openDatabase(t *testing.T) *bbolt.DB {
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
		HTTPClient:   sdkhttp.New(nil),
	}
}

// uniqueName names a resource that nobody else has.
func uniqueName(prefix string) string {
	return prefix + "-" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
}

// cleanupContext is a context for cleaning up, when the test's own has ended.
func cleanupContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), waitTimeout)
	t.Cleanup(cancel)
	return ctx
}
