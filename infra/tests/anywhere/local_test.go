package anywhere

import (
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sfn"

	local "github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// endpointVariable names another endpoint than the local stack's.
const endpointVariable = "AWS_ENDPOINT_URL"

// skipIfConfigured skips a test of an endpoint that it starts itself where
// another one has been asked for.
func skipIfConfigured(t *testing.T) {
	t.Helper()
	if url := os.Getenv(endpointVariable); url != "" {
		t.Skipf("%s asks for %s", endpointVariable, url)
	}
}

func TestLocalEndpoint(t *testing.T) {
	t.Parallel()
	skipIfConfigured(t)
	s := stacktest.Start(t)
	p := &installation{
		Client: s.Client, states: sfn.NewFromConfig(s.AWSConfig()),
		machine: local.MachineARN(stacktest.Blueprint().StateMachine.Name), ended: s.Exited(),
	}
	p.runSuite(t)
}
