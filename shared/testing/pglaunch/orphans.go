package pglaunch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// pollInterval is the interval at which conditions of other processes are checked.
const pollInterval = 5 * time.Millisecond

// stopOrphans stops the processes that a killed program left running on dataDir and removes the
// pid file, which Postgres itself would trust even if the number belongs to another process by
// now. The caller holds the folder's lock, so no process that runs here has a living parent.
func stopOrphans(ctx context.Context, dataDir string) error {
	postmaster, err := readPostmasterPID(dataDir)
	if err != nil {
		return err
	}
	left := serverProcesses(dataDir, postmaster)
	for _, pid := range left {
		sig := syscall.SIGKILL // without a postmaster, a backend serves no client and may block for a long time
		if pid == postmaster {
			sig = syscall.SIGINT // fast shutdown: disconnects clients, but writes a checkpoint
		} else if slices.Contains(left, postmaster) {
			continue // its postmaster will stop it
		}
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the server that still runs on %s as process %d: %w", dataDir, pid, err)
		}
	}
	err = pollUntil(ctx, func() bool { return len(serverProcesses(dataDir, postmaster)) == 0 })
	if err != nil {
		return fmt.Errorf("wait for the server that still runs on %s: %w", dataDir, err)
	}
	if err := os.Remove(filepath.Join(dataDir, "postmaster.pid")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove files of an earlier server: %w", err)
	}
	return nil
}

// readPostmasterPID returns the process in the pid file; 0 if there is none.
func readPostmasterPID(dataDir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the server's pid file: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0, nil // truncated by a kill: the server never started running
	}
	return pid, nil
}

// pollUntil waits until condition returns true.
func pollUntil(ctx context.Context, condition func() bool) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}
