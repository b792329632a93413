package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/doctest"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// TestTutorial runs all commands of docs/tutorial.md in a terminal, unchanged except for the
// address of the stack. It compares their output with the tutorial, and the recording and the
// README with that output.
func TestTutorial(t *testing.T) {
	t.Parallel()
	stack := stacktest.Start(t)
	s := newShell(t, stack)
	docs := filepath.Join(stacktest.Root(t), "docs")
	blocks := doctest.Read(t, filepath.Join(docs, "tutorial.md"))
	script := strings.ReplaceAll(doctest.Script(blocks), "127.0.0.1:8080", stack.API)
	term := s.bash(t, script)
	require.Zero(t, term.wait(t), term.text())
	texts := doctest.CheckOutput(t, blocks, renderScreen(term.text()))

	recorded := make([]castStep, len(blocks))
	for i, b := range blocks {
		recorded[i] = castStep{input: strings.TrimSpace(b.Commands), output: anonymise(texts[i])}
	}
	compareFile(t, filepath.Join(docs, "tutorial.cast"), recording("Five minutes with Loadbay", recorded))
	compareExcerpt(t, filepath.Join(docs, "..", "README.md"), recorded[1])
}

// bash runs a script in a terminal, with the program in the PATH.
func (s *shell) bash(t *testing.T, script string) *terminal {
	t.Helper()
	c := s.command(t)
	c.Path, c.Args = "/bin/bash", []string{"bash", "-c", script}
	c.Env = append(c.Env, "PATH="+filepath.Join(stacktest.Root(t), "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "TERM=xterm-256color")
	return startPTY(t, c, pty.Winsize{Rows: castRows, Cols: castColumns})
}

// renderScreen returns the final content of a terminal, with overwritten text removed.
func renderScreen(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = strings.TrimRight(line[strings.LastIndex(line, "\r")+1:], " ")
	}
	return strings.Join(lines, "\n")
}
