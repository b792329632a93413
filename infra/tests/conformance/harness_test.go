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

// waitTimeout limits every wait for an expected event.
const waitTimeout = stacktest.Timeout

// configuredEndpoint returns the endpoint configured to replace the local one.
func configuredEndpoint() (url string, ok bool) {
	url = os.Getenv("AWS_ENDPOINT_URL")
	return url, url != ""
}

// skipUnlessLocal skips a test of behaviour that only the local endpoint guarantees.
func skipUnlessLocal(t *testing.T) {
	t.Helper()
	if _, ok := configuredEndpoint(); ok {
		t.Skip("tests only the local endpoint")
	}
}

// startEndpoint starts an endpoint in this process and returns its URL.
func startEndpoint(t *testing.T, config awsendpoint.Config) string {
	t.Helper()
	if testing.Short() {
		t.Skip("kills the local endpoint repeatedly")
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

// clientConfig configures clients of an endpoint with the local credentials. There are no
// retries: one failure fails the test.
func clientConfig(url string) aws.Config {
	return aws.Config{
		Region:       s3.Region,
		BaseEndpoint: &url,
		Credentials:  credentials.NewStaticCredentialsProvider(s3.AccessKey, s3.SecretKey, ""),
		Retryer:      func() aws.Retryer { return aws.NopRetryer{} },
		HTTPClient:   sdkhttp.New(nil),
	}
}

// uniqueName returns a unique resource name.
func uniqueName(prefix string) string {
	return prefix + "-" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
}

// cleanupContext returns a context for cleaning up after the test's own context has ended.
func cleanupContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), waitTimeout)
	t.Cleanup(cancel)
	return ctx
}
