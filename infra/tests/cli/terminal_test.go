package cli

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// terminal is a command that runs in a pseudo-terminal.
type terminal struct {
	command *exec.Cmd
	pty     *os.File
	done    chan struct{}

	mu     sync.Mutex
	output bytes.Buffer
}

func (s *shell) startTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	c := s.command(t, args...)
	c.Env = append(c.Env, "TERM=xterm-256color")
	return startPTY(t, c, pty.Winsize{Rows: 40, Cols: 120})
}

// startPTY runs a command in a pseudo-terminal of that size.
func startPTY(t *testing.T, c *exec.Cmd, size pty.Winsize) *terminal {
	t.Helper()
	device, err := pty.StartWithSize(c, &size)
	require.NoError(t, err)
	term := &terminal{command: c, pty: device, done: make(chan struct{})}
	t.Cleanup(func() { _ = device.Close() })
	go term.read()
	return term
}

// read collects the command's output and answers terminal queries.
func (term *terminal) read() {
	defer close(term.done)
	buffer := make([]byte, 4096)
	for {
		n, err := term.pty.Read(buffer)
		if err != nil {
			return
		}
		term.mu.Lock()
		term.output.Write(buffer[:n])
		term.mu.Unlock()
	}
}

// controlPattern matches the escape sequences that move the cursor and change colours.
var controlPattern = regexp.MustCompile(`\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\a]*\a|\x1b[()=>].?`)

// text returns the output so far without escape sequences.
func (term *terminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return controlPattern.ReplaceAllString(term.output.String(), "")
}

// raw returns the output so far with escape sequences.
func (term *terminal) raw() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.output.String()
}

// maxWait limits how long a command may take to show something on a busy machine.
const maxWait = 2 * time.Minute

// pollInterval is how often the output is checked.
const pollInterval = 20 * time.Millisecond

func (term *terminal) awaitText(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(term.text(), text) }, maxWait, pollInterval, "%q does not appear", text)
}

func (term *terminal) press(t *testing.T, keys string) {
	t.Helper()
	_, err := term.pty.WriteString(keys)
	require.NoError(t, err)
}

// wait returns the exit code.
func (term *terminal) wait(t *testing.T) int {
	t.Helper()
	<-term.done // all output has been read
	_ = term.command.Wait()
	return term.command.ProcessState.ExitCode()
}
