package anywhere

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
	"github.com/loadbay/loadbay/infra/tests/anywhere/provision"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

const (
	// databaseVariable is an administrator's URL of an empty database that both the
	// functions at AWS_ENDPOINT_URL and this test can reach.
	databaseVariable = "ANYWHERE_DATABASE_URL"
	rolePassword     = "only-for-tests"
)

// TestConfiguredEndpoint runs the suite against the configured endpoint.
func TestConfiguredEndpoint(t *testing.T) {
	t.Parallel()
	endpoint, database := os.Getenv(endpointVariable), os.Getenv(databaseVariable)
	if endpoint == "" || database == "" {
		t.Skipf("%s and %s are not set: no other endpoint to test", endpointVariable, databaseVariable)
	}
	deploy(t, endpoint, database, database).runSuite(t)
}

// deploy creates everything at an endpoint: resources, the functions of `make
// build-lambda` with their events, the state machine. inside is the database's
// URL for the functions, outside for this test.
func deploy(t *testing.T, endpoint, inside, outside string) *installation {
	t.Helper()
	c, b := stacktest.AWSConfig(endpoint), stacktest.Blueprint()
	maker := provision.New(c, b)
	resources, err := maker.CreateStorage(t.Context())
	require.NoError(t, err)
	resources.StateMachine = local.MachineARN(b.StateMachine.Name)
	for _, f := range b.Functions {
		if f.Streams { // no streaming here: exports go through the bucket
			resources.FunctionURLs[f.Name] = endpoint + "/" + f.Name
		}
	}
	owner := ownerAddress(t, inside, outside)
	arns, err := maker.CreateFunctions(t.Context(), resources, provision.Code{
		Folder: lambdaFolder(t), Architecture: types.ArchitectureArm64,
		Environment: func(f blueprint.Function) map[string]string { return databaseEnvironment(t, f, owner) },
	})
	require.NoError(t, err)
	require.NoError(t, maker.CreateWorkflow(t.Context(), resources, func(function string) string { return arns[function] }))
	functions := remoteFunctions{lambda.NewFromConfig(c)}
	output, failure, err := functions.Invoke(t.Context(), "migrate", []byte(`{}`))
	require.NoError(t, err)
	require.Empty(t, failure, "%s", output)
	output, failure, err = functions.Invoke(t.Context(), blueprint.OperatorFunction, []byte(`{"organisation":{"id":1,"name":"One","quotas":{"requestsPerMinute":600000}}}`))
	require.NoError(t, err)
	require.Empty(t, failure, "%s", output)
	return &installation{Client: serveAPI(t, functions), states: sfn.NewFromConfig(c), machine: resources.StateMachine}
}

// lambdaFolder returns the folder of the programs deployed to AWS, built for arm64; an endpoint
// on another architecture emulates it or reports that it cannot.
func lambdaFolder(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(stacktest.Root(t), "bin", "lambda")
	require.DirExists(t, folder, "run `make build-lambda` first")
	if runtime.GOARCH != "arm64" {
		t.Logf("the functions are built for arm64 and this machine is %s: Docker must emulate arm64", runtime.GOARCH)
	}
	return folder
}

// ownerAddress returns the functions' database URL for its owner, who corresponds to the
// master user of RDS and is not the superuser of most Postgres images.
func ownerAddress(t *testing.T, inside, outside string) string {
	t.Helper()
	const role = "loadbay_owner"
	server, err := pglaunch.Attach(t.Context(), outside)
	require.NoError(t, err)
	made, err := server.EnsureMasterRole(t.Context(), role, rolePassword, "")
	require.NoError(t, err)
	if !made {
		return inside
	}
	address, err := url.Parse(inside)
	require.NoError(t, err)
	address.User = url.UserPassword(role, rolePassword)
	return address.String()
}

func databaseEnvironment(t *testing.T, f blueprint.Function, owner string) map[string]string {
	t.Helper()
	switch f.Database {
	case blueprint.NoDatabase:
		return map[string]string{}
	case blueprint.AdminRole:
		return map[string]string{
			"DATABASE_URL": owner, "LOADBAY_APP_PASSWORD": rolePassword, "LOADBAY_MAINTENANCE_PASSWORD": rolePassword, "LOADBAY_OPERATOR_PASSWORD": rolePassword,
		}
	}
	address, err := url.Parse(owner)
	require.NoError(t, err)
	address.User = url.UserPassword(string(f.Database), rolePassword)
	return map[string]string{"DATABASE_URL": address.String()}
}

// remoteFunctions are the functions of an endpoint, by the blueprint's names.
type remoteFunctions struct{ client *lambda.Client }

// Invoke runs a function and waits for its response.
func (f remoteFunctions) Invoke(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error) {
	out, err := f.client.Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String(lambdahost.Name(function)), Payload: payload})
	if err != nil {
		return nil, "", err
	}
	return out.Payload, aws.ToString(out.FunctionError), nil
}
