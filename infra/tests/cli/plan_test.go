package cli

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// planned is how a person is told of a plan that waits.
var planned = regexp.MustCompile(`loadbay apply (\S+) writes it`)

// approves plans on a terminal, where nothing is written before somebody has said so.
func (s *shell) approves(t *testing.T) {
	s.file(t, "approved.csv", "email,name\nzoe@example.org,Zoe\n")
	exported := func() string {
		return s.must(t, "export", "users", "--fields", "email", "--filter", `{"email":["zoe@example.org"]}`, "-o", "-")
	}
	later := s.terminal(t, "import", "approved.csv", "--type", "USER", "--yes", "--plan")
	later.await(t, "Write these changes?")
	later.press(t, "n")
	require.Equal(t, 3, later.wait(t), later.said())
	require.Regexp(t, `users +- +1 +0`, later.said())
	require.NotContains(t, exported(), "zoe")
	id := planned.FindStringSubmatch(later.said())[1]

	e := s.run(t, "", "approve", id)
	require.Equal(t, 2, e.code)
	require.Contains(t, e.err, "--digest")
	compared := s.terminal(t, "plan", "approved.csv", "--type", "USER", "--mode", "upsert", "--yes")
	require.Equal(t, 5, compared.wait(t), compared.said())
	require.Contains(t, compared.said(), "To write it: loadbay apply ")
	now := s.terminal(t, "approve", id)
	now.await(t, "Write these changes?")
	now.press(t, "y")
	require.Zero(t, now.wait(t), now.said())
	require.Contains(t, exported(), "zoe")
	e = s.run(t, "", "apply", id, "--digest", "0")
	require.Equal(t, 1, e.code)
	require.Contains(t, s.must(t, "diff", id), "CREATED\tusers\t")
}
