package cli

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// colourPattern matches the escape sequences that change the colour.
var colourPattern = regexp.MustCompile(`\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]`)

// testConventions checks conventions that other command lines follow.
func (s *shell) testConventions(t *testing.T) {
	t.Run("colours unless NO_COLOR is set", func(t *testing.T) {
		coloured := *s
		coloured.env = slices.DeleteFunc(slices.Clone(s.env), func(e string) bool { return e == "NO_COLOR=1" })
		for who, want := range map[*shell]bool{s: false, &coloured: true} {
			term := who.startTerminal(t, "imports", "show", "nonsense")
			require.Equal(t, 1, term.wait(t))
			require.Equal(t, want, colourPattern.MatchString(term.raw()), "%q", term.raw())
		}
		require.NotContains(t, coloured.run(t, "", "imports", "list").out, "\x1b", "no colours in a pipe")
	})
	t.Run("plain prompts with ACCESSIBLE", func(t *testing.T) {
		plain := *s
		plain.env = append(slices.Clone(s.env), "ACCESSIBLE=1")
		s.writeFile(t, "plain.csv", "First name,Last name,Email,Membership type\nPat,Plain,pat@example.org,Mastres\n")
		term := plain.startTerminal(t, "import", "plain.csv", "--type", "MEMBERSHIP", "--context-id", "1")
		term.awaitText(t, "Mastres")
		term.awaitText(t, "1. ")
		term.press(t, "1\r")
		term.awaitText(t, "All values have been shown")
		term.press(t, "\r")
		require.Zero(t, term.wait(t), term.text())
		require.NotContains(t, term.raw(), "\x1b[?25l", "plain prompts do not hide the cursor")
	})
	t.Run("no prompts in CI", func(t *testing.T) {
		ci := *s
		ci.env = append(slices.Clone(s.env), "CI=true")
		s.writeFile(t, "ci.csv", "Zzz,Name\nsam@example.org,Sam\n")
		term := ci.startTerminal(t, "import", "ci.csv", "--type", "USER")
		require.Equal(t, 3, term.wait(t), term.text())
		require.Contains(t, term.text(), `"waitingFor": "COLUMN_MAPPINGS"`)
	})
	t.Run("URL is fetched by the server", func(t *testing.T) {
		e := s.run(t, "", "import", "http://127.0.0.1/users.csv", "--type", "USER", "--yes")
		require.Equal(t, 1, e.code)
		require.Contains(t, e.err, "http://127.0.0.1/users.csv: ")
	})
}
