package cli

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// TestClientExamples runs the examples of package client in sequence against
// a stack.
func TestClientExamples(t *testing.T) {
	t.Parallel()
	stack := stacktest.Start(t)
	c := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-run", "^Example", "./client")
	c.Dir = stacktest.Root(t)
	c.Env = append(withoutVariables(os.Environ(), "LOADBAY_TOKEN"), "LOADBAY_URL=http://"+stack.API)
	output, err := c.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "--- PASS: ExampleClient_Import ")
}
