package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// TestDevStartsLocalStack starts the local stack from another folder; the stack ends with the command.
func TestDevStartsLocalStack(t *testing.T) {
	stacktest.SkipShort(t)
	t.Parallel()
	s := newShellWithoutStack(t)
	c := s.command(t, "dev")
	data := filepath.Join(s.dir, "data")
	c.Env = append(c.Env, "DATA_DIR="+data, "API_ADDR=127.0.0.1:0", "AWS_ADDR=127.0.0.1:0", "DATABASE_URL=", "BIN_DIR=")
	output := &stacktest.Output{}
	program := stacktest.Launch(t, c, output)
	program.Await(t, "the API address is written", func() bool {
		_, err := os.Stat(filepath.Join(data, stack.APIFile))
		return err == nil
	})
	address, err := os.ReadFile(filepath.Join(data, stack.APIFile))
	require.NoError(t, err)
	require.Contains(t, s.mustRun(t, "types", "--url", strings.TrimSpace(string(address))), "USER\t")
	require.NoError(t, program.Stop(t.Context(), syscall.SIGTERM, stacktest.Timeout), output.String())
	require.Contains(t, output.String(), "Stopping.")
}

// TestDevReportsMissingProgram runs `loadbay dev` where only loadbay is installed.
func TestDevReportsMissingProgram(t *testing.T) {
	t.Parallel()
	s := newShellWithoutStack(t)
	program, err := os.ReadFile(s.command(t).Path)
	require.NoError(t, err)
	alone := filepath.Join(s.dir, "loadbay")
	require.NoError(t, os.WriteFile(alone, program, 0o700)) //nolint:gosec // a program
	c := s.command(t, "dev")
	c.Path, c.Env = alone, append(c.Env, "PATH=/nowhere")
	output, err := c.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(output), "loadbay-local not found next to loadbay or in the PATH")
}
