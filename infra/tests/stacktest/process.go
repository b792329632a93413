package stacktest

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/runtime/childproc"
)

// Program is a process that ends with its test at the latest.
type Program struct {
	*childproc.Process
	output *Output
}

// Launch starts a program; output collects what it prints.
func Launch(t *testing.T, command *exec.Cmd, output *Output) *Program {
	t.Helper()
	command.Stdout, command.Stderr = output, output
	process, err := childproc.Start(command, syscall.SIGKILL)
	require.NoError(t, err)
	return &Program{process, output}
}

// Await waits for an effect of the program: if the program ends before that, the test
// fails immediately, with the program's last output.
func (p *Program) Await(t *testing.T, what string, so func() bool) {
	t.Helper()
	awaitCondition(t, what, so, p)
}

// exited returns a channel that is closed when the program has ended; nil without a program.
func (p *Program) exited() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.Done()
}

// lastOutput returns the program's last output.
func (p *Program) lastOutput() string {
	if p == nil {
		return "no program is watched"
	}
	return "output:\n" + p.output.String()
}

// Output collects the output of a process.
type Output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *Output) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// All returns the complete output.
func (b *Output) All() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}

// String returns the last lines, for failure messages.
func (b *Output) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var last []string
	for lines := bufio.NewScanner(bytes.NewReader(b.buf.Bytes())); lines.Scan(); {
		if last = append(last, lines.Text()); len(last) > 60 {
			last = last[1:]
		}
	}
	return fmt.Sprintln(strings.Join(last, "\n"))
}
