package cli

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// planIDPattern matches the message that a plan waits for approval.
var planIDPattern = regexp.MustCompile(`loadbay apply (\S+) applies`)

// testApproval creates a plan in a terminal; nothing is written before the plan is approved.
func (s *shell) testApproval(t *testing.T) {
	s.writeFile(t, "approved.csv", "email,name\nzoe@example.org,Zoe\n")
	exported := func() string {
		return s.mustRun(t, "export", "users", "--fields", "email", "--filter", `{"email":["zoe@example.org"]}`, "-o", "-")
	}
	later := s.startTerminal(t, "import", "approved.csv", "--type", "USER", "--plan")
	later.awaitText(t, "Apply these changes?")
	later.press(t, "n")
	require.Equal(t, 3, later.wait(t), later.text())
	require.Regexp(t, `users +- +1 +0`, later.text())
	require.NotContains(t, exported(), "zoe")
	id := planIDPattern.FindStringSubmatch(later.text())[1]

	e := s.run(t, "", "approve", id)
	require.Equal(t, 2, e.code)
	require.Contains(t, e.err, "--digest")
	compared := s.startTerminal(t, "plan", "approved.csv", "--type", "USER", "--mode", "upsert", "--yes")
	require.Equal(t, 5, compared.wait(t), compared.text())
	require.Contains(t, compared.text(), "To apply them:")
	now := s.startTerminal(t, "approve", id)
	now.awaitText(t, "Apply these changes?")
	now.press(t, "y")
	require.Zero(t, now.wait(t), now.text())
	require.Contains(t, exported(), "zoe")
	e = s.run(t, "", "apply", id, "--digest", "0")
	require.Equal(t, 1, e.code)
	require.Contains(t, s.mustRun(t, "diff", id), "CREATED\tusers\t")
}
