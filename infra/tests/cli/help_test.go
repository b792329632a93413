package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// TestHelpAnswersWords looks up words that a newcomer would type.
func TestHelpAnswersWords(t *testing.T) {
	t.Parallel()
	s := newShellWithoutStack(t)
	const screen = 24
	for _, word := range []string{"csv", "excel", "dates", "duplicates", "update", "dry-run", "rollback", "errors", "cron", "period", "login", "columns", "json", "token",
		"dedupe", "cancel", "watch", "timeout", "proxy", "permissions"} {
		text := s.mustRun(t, "help", word)
		require.NotContains(t, text, "unknown")
		if !strings.Contains(text, "USAGE") {
			require.LessOrEqual(t, strings.Count(text, "\n"), screen, word)
		}
	}
	e := s.run(t, "", "help", "imprt")
	require.Equal(t, 2, e.code)
	require.Contains(t, e.err, "did you mean import")
	require.Contains(t, s.mustRun(t, "help", "imports", "watch"), "loadbay imports watch ID")
	require.NotContains(t, s.mustRun(t, "help", "exit-codes"), "USAGE")
}

// TestHelpFitsTerminals prints help in terminals of several widths, without trailing blanks.
func TestHelpFitsTerminals(t *testing.T) {
	t.Parallel()
	s := newShellWithoutStack(t)
	for _, width := range []uint16{60, 80, 200} {
		for _, args := range [][]string{{"--help"}, {"import", "--help"}, {"help", "plan"}, {"imports", "list", "--help"}} {
			c := s.command(t, args...)
			c.Env = append(c.Env, "TERM=xterm-256color")
			term := startPTY(t, c, pty.Winsize{Rows: 40, Cols: width})
			require.Zero(t, term.wait(t))
			for line := range strings.SplitSeq(strings.ReplaceAll(term.text(), "\r\n", "\n"), "\n") {
				require.Equal(t, strings.TrimRight(line, " "), line)
				if !strings.HasPrefix(line, "  ") { // examples can be copied as they are
					require.LessOrEqual(t, ansi.StringWidth(line), int(width), line)
				}
			}
		}
	}
}

// TestErrorsAskTerminalNothing checks that an error does not query the colours of the terminal.
func TestErrorsAskTerminalNothing(t *testing.T) {
	t.Parallel()
	s := newShellWithoutStack(t)
	term := s.startTerminal(t, "import")
	require.Equal(t, 2, term.wait(t))
	require.NotContains(t, term.raw(), "\x1b]")
	require.NotContains(t, term.raw(), "\x1b[c")
	require.Contains(t, term.text(), "use loadbay import FILE...")
}
