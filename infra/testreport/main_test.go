package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// runPackage runs a package with these tests and returns the report about them.
func runPackage(t *testing.T, tests string) (printed string, failed bool) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example\n\ngo 1.26\n", "x_test.go": "package x\n\nimport \"testing\"\n\n" + tests} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	test := exec.Command("go", "test", "-json", "./...")
	test.Dir = dir
	out, err := test.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, test.Start())
	var text strings.Builder
	failed, err = report(out, &text)
	require.NoError(t, err)
	require.Equal(t, failed, test.Wait() != nil, "the report agrees with go test")
	return text.String(), failed
}

func TestReportListsTestsNotRun(t *testing.T) {
	t.Parallel()
	printed, failed := runPackage(t, `
func TestPasses(t *testing.T) { t.Log("quiet") }
func TestSkips(t *testing.T) { t.Run("inside", func(t *testing.T) { t.Skipf("skipped: %s is not installed", "pg_dump") }) }
func TestSilent(t *testing.T) { t.SkipNow() }
`)
	require.False(t, failed)
	require.Contains(t, printed, "ok  \texample\t")
	require.Contains(t, printed, "not run: 2 tests\n  example TestSkips/inside: pg_dump is not installed\n  example TestSilent: no reason given\n")
	require.NotContains(t, printed, "quiet")
}

func TestReportShowsFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ tests, want string }{
		"failure":   {`func TestFails(t *testing.T) { t.Error("broken") }`, "broken"},
		"panic":     {`func TestPanics(t *testing.T) { panic("at the disco") }`, "at the disco"},
		"exit":      {"import \"os\"\nfunc TestExits(t *testing.T) { println(\"last words\"); os.Exit(3) }", "last words"},
		"not built": {`func TestWrong(t *testing.T) { undefined() }`, "undefined: undefined"},
	} {
		printed, failed := runPackage(t, c.tests)
		require.True(t, failed, name)
		require.Contains(t, printed, c.want, name)
		require.Contains(t, printed, "FAIL\texample", name)
	}
}
