package proctime_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/proctime"
)

// The shell's expression contains a bracket, as the name of a program may.
func TestCPUTimeIncludesEndedChildren(t *testing.T) {
	t.Parallel()
	_, before := proctime.CPUTime(os.Getpid())
	work := exec.Command("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; read line")
	stdin, err := work.StdinPipe()
	require.NoError(t, err)
	stdout, err := work.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, work.Start())
	_, err = stdout.Read(make([]byte, 5))
	require.NoError(t, err)

	own, ended := proctime.CPUTime(work.Process.Pid)
	require.GreaterOrEqual(t, own, 20*time.Millisecond)
	require.Zero(t, ended)

	require.NoError(t, stdin.Close())
	_ = work.Wait() // read fails at the end of its input
	used := work.ProcessState.UserTime() + work.ProcessState.SystemTime()
	_, after := proctime.CPUTime(os.Getpid())
	require.GreaterOrEqual(t, after-before, used-20*time.Millisecond)
	own, ended = proctime.CPUTime(work.Process.Pid)
	require.Zero(t, own+ended)
}
