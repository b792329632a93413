package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// TestAWSCommandsSupportBothVersions checks that documented commands work with versions 1
// and 2 of the AWS command line. Version 1 does not read AWS_REGION; version 2 treats a
// payload as base64 unless it is read from a file as bytes; both require a file for the output.
func TestAWSCommandsSupportBothVersions(t *testing.T) {
	t.Parallel()
	root := stacktest.Root(t)
	documents, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	invoke := regexp.MustCompile("aws lambda invoke[^`\n]*[`\n]")
	found := 0
	for _, path := range append(documents, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotRegexp(t, `export[^\n]* AWS_REGION=`, string(text), path)
		require.NotContains(t, string(text), "--cli-binary-format", path)
		for _, command := range invoke.FindAllString(string(text), -1) {
			found++
			require.Regexp(t, `[^=] (/dev/stdout|\S+\.json)`+"[`\n]$", command, path)
			if _, payload, ok := strings.Cut(command, "--payload "); ok {
				require.Regexp(t, "^fileb://", payload, path)
			}
		}
	}
	require.Positive(t, found)
}

// awsVersions returns all versions of the AWS command line on this machine.
func awsVersions(t *testing.T) (paths []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(folder, "aws")
		version, err := exec.Command(path, "--version").CombinedOutput()
		if err == nil && !seen[string(version)] {
			seen[string(version)] = true
			paths = append(paths, path)
			t.Logf("%s: %s", path, version)
		}
	}
	return paths
}

// TestAWSCommands runs the commands of docs/configuration.md, unchanged except for the address of
// the endpoint, with only the environment that the document exports.
func TestAWSCommands(t *testing.T) {
	commands := awsVersions(t)
	if len(commands) == 0 {
		t.Skip("the aws command is not installed")
	}
	s := stacktest.Start(t)
	require.Contains(t, string(s.Output()), " AWS_DEFAULT_REGION=")
	document, err := os.ReadFile(filepath.Join(stacktest.Root(t), "docs", "configuration.md"))
	require.NoError(t, err)
	lines := regexp.MustCompile(`(?m)^(export AWS_.*|aws (?:.*\\\n)*.*)$`).FindAllString(string(document), -1)
	require.Len(t, lines, 4, "one export and three commands")
	// The list of results fails until the import has ended.
	lines[3] = "for i in $(seq 60); do " + lines[3] + " && exit 0; sleep 1; done; exit 1"
	script := strings.ReplaceAll(strings.Join(lines, "\n"), "127.0.0.1:4566", s.AWS)
	for _, aws := range commands {
		t.Run(aws, func(t *testing.T) {
			shell := exec.Command("sh", "-ec", script)
			shell.Dir = stacktest.Root(t)
			shell.Env = []string{"HOME=" + os.Getenv("HOME"), "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null",
				"PATH=" + filepath.Dir(aws) + string(filepath.ListSeparator) + os.Getenv("PATH")}
			output, err := shell.CombinedOutput()
			require.NoError(t, err, "%s", output)
			require.Contains(t, string(output), `"executions"`)
			require.Contains(t, string(output), "upload: events/files/users.csv")
		})
	}
}
