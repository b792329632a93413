package job_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

var update = flag.Bool("update", false, "rewrite the options of the console")

// consoleOptions contains the options that the console offers.
const consoleOptions = "console/src/import-options/options.gen.json"

func TestConsoleHasItsOptions(t *testing.T) {
	t.Parallel()
	want, err := json.MarshalIndent(job.OptionsIn(job.InConsole), "", "  ")
	require.NoError(t, err)
	path := filepath.Join("..", "..", consoleOptions)
	if *update {
		require.NoError(t, os.WriteFile(path, append(want, '\n'), 0o600))
	}
	actual, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(bytes.TrimSpace(actual)), "run go test ./shared/job -run TestConsoleHasItsOptions -update")
}

// maxOptionFiles is the maximum number of hand-written files that an added option changes,
// including its effect.
const maxOptionFiles = 5

// TestAddedOptionNeedsFewFiles counts the hand-written files that name the latest stored option,
// which all endpoints, forms, settings, profiles, the drop folder, the command line and the console
// accept. Tests, generated files, documents and translations do not count.
func TestAddedOptionNeedsFewFiles(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	listed, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.go", "*.yaml", "*.ts", "*.tsx", "*.json", "*.sql", "*.html").Output()
	require.NoError(t, err)
	// In shared/output/annotate, strict is a variant of Office Open XML.
	excluded := regexp.MustCompile(`^\.ci/|^shared/output/annotate/|_test\.go$|\.test\.tsx?$|\.gen\.|(^|/)(tests?|testdata|testing|docs|node_modules|i18n)/|package(-lock)?\.json$|^client/typescript/src/schema\.ts$|tsconfig`)
	inGo, elsewhere := regexp.MustCompile("[\"`]strict[\"`]|\\b(Is)?Strict\\b"), regexp.MustCompile(`\bstrict\b`)
	var found []string
	for path := range strings.Lines(string(listed)) {
		path = strings.TrimSpace(path)
		if excluded.MatchString(path) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if os.IsNotExist(err) {
			continue // deleted, but not committed
		}
		require.NoError(t, err)
		named := elsewhere
		if strings.HasSuffix(path, ".go") {
			named = inGo
		}
		if named.Match(text) {
			found = append(found, path)
		}
	}
	t.Logf("%d files: %s", len(found), strings.Join(found, ", "))
	require.LessOrEqual(t, len(found), maxOptionFiles, "read options through job.Options instead: %v", found)
	require.Contains(t, found, "shared/job/optiontable.go")
	require.Contains(t, found, "shared/httpapi/openapi.yaml")
}
