package anywhere

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/local/gateway"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
	"github.com/loadbay/loadbay/infra/local/lambdahost/sqssource"
	"github.com/loadbay/loadbay/infra/tests/anywhere/provision"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// hostFunctions runs the compiled functions on this machine, with the resources of a
// remote endpoint and their own database.
func hostFunctions(t *testing.T, endpoint string, r *provision.Resources) *lambdahost.Host {
	t.Helper()
	database := postgrestest.Setup(t)
	for _, f := range stacktest.Blueprint().Functions {
		if f.Streams { // no streaming here: exports go through the bucket
			r.FunctionURLs[f.Name] = endpoint + "/" + f.Name
		}
	}
	var functions []lambdahost.Function
	for _, f := range stacktest.Blueprint().Functions {
		variables, err := r.Environment(f)
		require.NoError(t, err)
		maps.Copy(variables, map[string]string{"AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": s3.AccessKey, "AWS_SECRET_ACCESS_KEY": s3.SecretKey})
		hosted := lambdahost.Function{
			Name: f.Name, Memory: f.Memory, Timeout: f.Timeout, Concurrency: blueprint.LocalConcurrency, Elastic: true, Env: variables,
		}
		if f.Database != blueprint.NoDatabase {
			hosted.Env["DATABASE_URL"] = databaseAddress(t, database, f.Database)
		}
		functions = append(functions, hosted)
	}
	host, err := lambdahost.New(lambdahost.Config{
		Functions: functions, BinDir: filepath.Join(stacktest.Root(t), "bin", "functions"), TempDir: filepath.Join(t.TempDir(), "functions"),
		Output: func(function string, line []byte) { logLine(t, function, line) }, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, host.Close(context.Background())) })
	require.Empty(t, host.MissingBootstraps(), "run `make build` first")
	return host
}

// logLine logs output of a function that a person should see.
func logLine(t *testing.T, function string, line []byte) {
	if bytes.Contains(line, []byte(`"level":"WARN"`)) || bytes.Contains(line, []byte(`"level":"ERROR"`)) {
		t.Logf("%s: %s", function, line)
	}
}

// databaseAddress returns the database URL for a role.
func databaseAddress(t *testing.T, database *postgrestest.Database, role blueprint.DatabaseRole) string {
	t.Helper()
	if role == blueprint.AdminRole {
		return database.OwnerURL
	}
	address, err := url.Parse(database.AppURL)
	require.NoError(t, err)
	password, _ := address.User.Password()
	address.User = url.UserPassword(string(role), password)
	return address.String()
}

// serveAPI serves API Gateway in front of the api function.
func serveAPI(t *testing.T, functions gateway.Invoker) *rawclient.Client {
	t.Helper()
	issuer, err := gateway.NewIssuer("https://issuer.example", filepath.Join(t.TempDir(), "issuer.pem"))
	require.NoError(t, err)
	scopes := "imports:read imports:write exports:read exports:write webhooks:read webhooks:write"
	handler, err := gateway.New(gateway.Config{
		Function: "api", Invoker: functions, Verifier: issuer, PublicRoutes: blueprint.PublicRoutes(), KeyPath: blueprint.KeyPath,
		Anonymous: gateway.Claims{gateway.OrganisationClaim: "1", gateway.ScopeClaim: scopes, "sub": "test"},
		Ready:     func() bool { return true }, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return rawclient.New(server.URL, "")
}

// pollQueues invokes the functions hosted here with messages of remote queues.
func pollQueues(t *testing.T, c *sqs.Client, r *provision.Resources, host *lambdahost.Host) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, source := range stacktest.Blueprint().EventSources {
		mapping, err := sqssource.New(sqssource.Config{
			Queue: source.Queue, Function: source.Function, BatchSize: source.BatchSize, Concurrency: source.LocalConcurrency,
			Queues: remoteQueues{c, r.Queues}, Invoker: host, Logger: slog.New(slog.DiscardHandler), Lease: time.Minute,
		})
		require.NoError(t, err)
		running.Go(func() { mapping.Run(ctx) })
	}
	t.Cleanup(func() { stop(); running.Wait() })
}

// publishObjectEvent delivers the event of a new object to the functions that listen for
// its key, as EventBridge does.
func publishObjectEvent(ctx context.Context, host *lambdahost.Host, bucket, key string) error {
	for _, e := range stacktest.Blueprint().ObjectEvents {
		if len(key) < len(e.Prefix) || key[:len(e.Prefix)] != e.Prefix {
			continue
		}
		event := fmt.Appendf(nil, `{"version":"0","id":"e","source":"aws.s3","detail-type":"Object Created","time":%q,"detail":{"bucket":{"name":%q},"object":{"key":%q}}}`,
			time.Now().UTC().Format(time.RFC3339), bucket, key)
		if err := host.Deliver(ctx, e.Function, event); err != nil {
			return fmt.Errorf("announce %s: %w", key, err)
		}
	}
	return nil
}
