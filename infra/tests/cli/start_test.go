package cli

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Limits for the program: its size in bytes, the processor time of a start, and what its
// linked packages allocate before main, in allocations and bytes.
const (
	maxBinaryBytes    = 20e6
	maxStart          = 30 * time.Millisecond
	maxAllocations    = 10_000
	maxAllocatedBytes = 1 << 20
)

// newShellWithoutStack returns a shell for tests that need no stack.
func newShellWithoutStack(t *testing.T) *shell { return newShell(t, nil) }

// TestBinarySizeAndStartTime checks the limits. A start is measured by processor time, as
// the minimum of many starts, because other programs run at the same time.
func TestBinarySizeAndStartTime(t *testing.T) {
	t.Parallel()
	s := newShellWithoutStack(t)
	info, err := os.Stat(s.command(t).Path)
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(maxBinaryBytes))

	least := time.Hour
	for range 25 {
		c := s.command(t, "--version")
		require.NoError(t, c.Run())
		least = min(least, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	require.LessOrEqual(t, least, maxStart)

	allocations, allocated := s.initAllocations(t)
	require.LessOrEqual(t, allocations, maxAllocations)
	require.LessOrEqual(t, allocated, maxAllocatedBytes)
	t.Logf("%.1f MB; starts in %s; %d allocations of %d bytes before main", float64(info.Size())/1e6, least, allocations, allocated)
}

// allocationsPattern matches what the runtime reports about a package's initialisation.
var allocationsPattern = regexp.MustCompile(`(?m)^init \S+ @.* clock, (\d+) bytes, (\d+) allocs$`)

// initAllocations returns the packages' allocations before main.
func (s *shell) initAllocations(t *testing.T) (count, size int) {
	t.Helper()
	c := s.command(t, "--version")
	c.Env = append(c.Env, "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	c.Stderr = &trace
	require.NoError(t, c.Run())
	packages := allocationsPattern.FindAllSubmatch(trace.Bytes(), -1)
	require.NotEmpty(t, packages, trace.String())
	number := func(text []byte) int {
		n, err := strconv.Atoi(string(text))
		require.NoError(t, err, fmt.Sprintf("%q", text))
		return n
	}
	for _, p := range packages {
		size += number(p[1])
		count += number(p[2])
	}
	return count, size
}
