package httpapi_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The generated part of the Go client, which is a module of its own, belongs to this description.
func TestGeneratedGoClientIsCurrent(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the generator")
	}
	client := filepath.Join("..", "..", "client", "api")
	config, err := os.ReadFile(filepath.Join(client, "config.yaml"))
	require.NoError(t, err)
	dir := t.TempDir()
	made := filepath.Join(dir, "api.gen.go")
	elsewhere := strings.Replace(string(config), "output: api.gen.go", "output: "+made, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(elsewhere), 0o600))
	generate := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../../.ci/tools/go.mod", "oapi-codegen",
		"-config", filepath.Join(dir, "config.yaml"), "openapi.yaml")
	generate.Env = append(os.Environ(), "GOWORK=off") // go.work does not contain the tools
	out, err := generate.CombinedOutput()
	require.NoError(t, err, string(out))
	want, err := os.ReadFile(made)
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(client, "api.gen.go"))
	require.NoError(t, err)
	require.True(t, string(want) == string(got), "openapi.yaml has changed: run go generate ./client/api")
}
