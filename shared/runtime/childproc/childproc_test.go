package childproc_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/runtime/childproc"
)

// parentEnv makes the test binary play a parent that starts a child and waits to be killed.
const parentEnv = "CHILDPROC_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parentEnv) != "" {
		runParent()
	}
	os.Exit(m.Run())
}

func runParent() {
	child, err := childproc.Start(exec.Command("sleep", "600"), syscall.SIGKILL)
	if err != nil {
		panic(err)
	}
	// A thread that ends must not kill the child: start some and let them end.
	for range 20 {
		gone := make(chan struct{})
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			close(gone)
		}()
		<-gone
	}
	fmt.Println(child.PID())
	_ = child.Wait()
	os.Exit(3)
}

func TestChildDiesWithKilledParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends children with their parent")
	}
	t.Parallel()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentEnv+"=1")
	parent.Stderr = os.Stderr
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.True(t, isRunning(child), "the child runs while its parent runs")

	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	require.Eventually(t, func() bool { return !isRunning(child) }, 2*time.Minute, 5*time.Millisecond)
}

func TestStopKillsChildIgnoringSignal(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", `trap "" TERM; echo ready; while :; do sleep 1; done`)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	child, err := childproc.Start(cmd, syscall.SIGKILL)
	require.NoError(t, err)
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Nil(t, child.State())

	require.NoError(t, child.Stop(t.Context(), syscall.SIGTERM, 50*time.Millisecond))
	require.Error(t, child.Wait())
	require.False(t, child.State().Success())
	require.NoError(t, child.Signal(syscall.SIGTERM), "signalling an ended process succeeds")
}

func TestRunEndsWithContext(t *testing.T) {
	t.Parallel()
	require.NoError(t, childproc.Run(t.Context(), exec.Command("true")))
	var failed *exec.ExitError
	require.ErrorAs(t, childproc.Run(t.Context(), exec.Command("false")), &failed)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, childproc.Run(ctx, exec.Command("sleep", "600")), context.DeadlineExceeded)
}

func TestStartReportsError(t *testing.T) {
	t.Parallel()
	_, err := childproc.Start(exec.Command("/nonexistent/program"), syscall.SIGKILL)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// isRunning distinguishes a running process from a zombie and from a missing one.
func isRunning(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}
