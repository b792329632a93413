package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// The keys that select the next option and the current one.
const (
	keyDown  = "\x1b[B"
	keyEnter = "\r"
	keyCtrlC = "\x03"
)

// testPrompts answers the questions of imports in a terminal.
func (s *shell) testPrompts(t *testing.T) {
	t.Run("value", s.testValuePrompt)
	t.Run("similar values", s.testSimilarValues)
	t.Run("column", s.testColumnPrompt)
	t.Run("Enter alone imports nothing", s.testNothingIsPreselected)
	t.Run("answers survive Ctrl-C", s.testAnswersSurviveInterrupt)
	t.Run("required field without a column", s.testRequiredField)
	t.Run("narrow terminal", s.testNarrowTerminal)
}

// openID returns the import that the text of a terminal names.
func openID(t *testing.T, text string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "loadbay imports watch ")
	require.True(t, found, text)
	return strings.Fields(rest)[0]
}

// The most similar entry follows the choice to decide later.
func (s *shell) testValuePrompt(t *testing.T) {
	s.writeFile(t, "members.csv", membersCSV)
	term := s.startTerminal(t, "import", "members.csv", "--type", "MEMBERSHIP", "--context-id", "1")
	term.awaitText(t, `1 of 1: What does "Mastres" in Membership type mean?`)
	term.press(t, keyDown+keyEnter)
	term.awaitText(t, "All values have been shown.")
	term.press(t, keyEnter)
	require.Zero(t, term.wait(t), term.text())
	require.Contains(t, term.text(), "completed")
}

func (s *shell) testSimilarValues(t *testing.T) {
	s.writeFile(t, "similar.csv", "First name,Last name,Email,Membership type\nAnn,Ash,ann.similar@example.org,Mastres\nBo,Birch,bo.similar@example.org,MASTRES.\n")
	term := s.startTerminal(t, "import", "similar.csv", "--type", "MEMBERSHIP", "--context-id", "1")
	term.awaitText(t, "1 of 2: ")
	term.press(t, keyDown+keyEnter)
	term.awaitText(t, "Use the same answer for similar values?")
	term.press(t, keyDown+keyEnter)
	term.awaitText(t, "All values have been shown.")
	term.press(t, keyEnter)
	require.Zero(t, term.wait(t), term.text())
}

// zzzCSV has a column that only its values identify.
func zzzCSV(name string) string {
	return "Zzz,Name\n" + name + "@example.org," + name + "\n" + name + ".2@example.org," + name + "\n"
}

func (s *shell) testColumnPrompt(t *testing.T) {
	s.writeFile(t, "columns.csv", zzzCSV("quinn"))
	term := s.startTerminal(t, "import", "columns.csv", "--type", "USER")
	term.awaitText(t, "1 of 1: Which column is Email?")
	require.Regexp(t, `Zzz\s+-\s+not used\s+quinn@example.org`, term.text(), "the table shows every column")
	require.Regexp(t, `Name\s+Name\s+certain`, term.text())
	require.Less(t, strings.Index(term.text(), "loadbay imports watch"), strings.Index(term.text(), "1 of 1"))
	term.press(t, keyDown+keyEnter)
	term.awaitText(t, "All columns have been shown.")
	term.press(t, keyEnter)
	require.Zero(t, term.wait(t), term.text())
	require.Contains(t, s.mustRun(t, "export", "users", "--fields", "email", "-o", "-"), "quinn.2@example.org")
}

// Enter alone decides nothing, and the import does not start without a required field.
func (s *shell) testNothingIsPreselected(t *testing.T) {
	s.writeFile(t, "nothing.csv", zzzCSV("norma"))
	term := s.startTerminal(t, "import", "nothing.csv", "--type", "USER")
	term.awaitText(t, "Which column is Email?")
	term.press(t, keyEnter)
	term.awaitText(t, "No column for the required field Email.")
	require.NotContains(t, term.text(), "Continue the import")
	term.press(t, keyEnter)
	require.Equal(t, 3, term.wait(t), term.text())
	require.NotContains(t, s.mustRun(t, "export", "users", "--fields", "email", "-o", "-"), "norma")
	s.mustRun(t, "imports", "cancel", openID(t, term.text()))
}

func (s *shell) testAnswersSurviveInterrupt(t *testing.T) {
	s.writeFile(t, "interrupt.csv", zzzCSV("ivy"))
	term := s.startTerminal(t, "import", "interrupt.csv", "--type", "USER")
	term.awaitText(t, "1 of 1: ")
	term.press(t, keyDown+keyEnter)
	term.awaitText(t, "All columns have been shown.")
	term.press(t, keyCtrlC)
	require.Equal(t, 130, term.wait(t), term.text())
	require.Contains(t, term.text(), "Your answers are saved. To continue:")

	term = s.startTerminal(t, "imports", "watch", openID(t, term.text()))
	term.awaitText(t, "All columns have been shown.")
	require.NotContains(t, term.text(), "1 of 1", "the answer is known")
	term.press(t, keyEnter)
	require.Zero(t, term.wait(t), term.text())
}

// A required field without a column is asked for by name, and an enum offers no new entries.
func (s *shell) testRequiredField(t *testing.T) {
	s.writeFile(t, "required.csv", "Qqq,Last name,Email,Gender,Membership type\nRia,Rust,ria@example.org,Homme,Masters\n")
	term := s.startTerminal(t, "import", "required.csv", "--type", "MEMBERSHIP", "--context-id", "1")
	term.awaitText(t, "1 of 1: Which column is First name?")
	term.press(t, keyDown+keyEnter)
	term.awaitText(t, "All columns have been shown.")
	term.press(t, keyEnter)
	term.awaitText(t, `What does "Homme" in Gender mean?`)
	require.NotContains(t, term.text(), "Create")
	term.press(t, keyDown+keyEnter)
	term.awaitText(t, "All values have been shown.")
	term.press(t, keyEnter)
	require.Zero(t, term.wait(t), term.text())
}

// No line is wider than the terminal.
func (s *shell) testNarrowTerminal(t *testing.T) {
	const width = 60
	s.writeFile(t, "narrow.csv", zzzCSV("a-rather-long-name-of-a-person-in-a-narrow-terminal"))
	c := s.command(t, "import", "narrow.csv", "--type", "USER")
	c.Env = append(c.Env, "TERM=xterm-256color")
	term := startPTY(t, c, pty.Winsize{Rows: 40, Cols: width})
	term.awaitText(t, "(decide later)")
	require.Contains(t, term.text(), "loadbay imports watch ", "the command to continue is on one line")
	for line := range strings.SplitSeq(renderScreen(term.text()), "\n") {
		require.LessOrEqual(t, ansi.StringWidth(line), width, line)
	}
	term.press(t, keyCtrlC)
	require.Equal(t, 130, term.wait(t), term.text())
}
