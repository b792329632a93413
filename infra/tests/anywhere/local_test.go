package anywhere

import (
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sfn"

	local "github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// endpointVariable configures an endpoint to use instead of the local stack's.
const endpointVariable = "AWS_ENDPOINT_URL"

// skipIfConfigured skips a test that starts its own endpoint if another endpoint is
// configured.
func skipIfConfigured(t *testing.T) {
	t.Helper()
	if url := os.Getenv(endpointVariable); url != "" {
		t.Skipf("%s selects the endpoint %s", endpointVariable, url)
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
