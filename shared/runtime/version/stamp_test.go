package version_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMakefileStampsBuiltProgram builds the command line with the linker flag of the Makefile
// and asks it for its version: a flag that names a variable that moved is ignored by the linker.
func TestMakefileStampsBuiltProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program with the go command")
	}
	t.Parallel()
	const root = "../../.."
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	flag := regexp.MustCompile(`(?m)^STAMPED = (-X \S+)=\$\(STAMP\)$`).FindSubmatch(makefile)
	require.NotNil(t, flag, "the Makefile does not define STAMPED")

	program := filepath.Join(t.TempDir(), "loadbay")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w "+string(flag[1])+"=v9.8.7-test", "-o", program, "./cmd/loadbay")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.CommandContext(t.Context(), program, "--version").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "v9.8.7-test")
}
