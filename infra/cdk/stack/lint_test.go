package stack_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// cfn-lint knows CloudFormation's rules better than any assertion. The test runs it if it is
// installed. W3005 is about redundant dependencies, which the CDK always creates; W3690 and
// W3691 know no version of Postgres without a minor one. W3010 is about zones, which are a setting. W2001 is
// about the name of a database that neither a dashboard nor an alarm needs.
func TestTemplatesPassLint(t *testing.T) {
	lint, err := exec.LookPath("cfn-lint")
	if err != nil {
		t.Skip("cfn-lint is not on the PATH: the templates are not checked")
	}
	runAll(t, func(t *testing.T, w *stageTemplates) {
		templates, err := filepath.Glob(filepath.Join(w.folder, "*.template.json"))
		require.NoError(t, err)
		require.Len(t, templates, 2)
		out, err := exec.CommandContext(t.Context(), lint, append([]string{"-i", "W2001", "W3005", "W3010", "W3690", "W3691", "-t"}, templates...)...).CombinedOutput()
		require.NoError(t, err, string(out))
	})
}
