package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/doctest"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// TestGuideCommands runs all commands of docs/guide.md in a shell, unchanged except for the
// addresses of the stack, and compares their output with the guide.
func TestGuideCommands(t *testing.T) {
	t.Parallel()
	s := stacktest.Start(t)
	blocks := doctest.Read(t, filepath.Join(stacktest.Root(t), "docs", "guide.md"))
	if len(awsVersions(t)) == 0 {
		t.Log("the aws command is not installed: the drop folder's commands are skipped")
		blocks = withoutAWS(blocks)
	}
	ctx, cancel := context.WithTimeout(t.Context(), stacktest.Timeout)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", strings.NewReplacer("127.0.0.1:8080", s.API, "127.0.0.1:4566", s.AWS).Replace(doctest.Script(blocks)))
	shell.Dir = t.TempDir()
	shell.Env = append(os.Environ(), "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null")
	output, err := shell.Output()
	require.NoError(t, err, "it printed:\n%s", output)
	doctest.CheckOutput(t, blocks, string(output))
}

func withoutAWS(blocks []doctest.Block) (rest []doctest.Block) {
	for _, b := range blocks {
		if !strings.Contains(b.Commands, "\naws ") {
			rest = append(rest, b)
		}
	}
	return rest
}
