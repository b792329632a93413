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

// pollInterval is how often conditions of other processes are looked at.
const pollInterval = 5 * time.Millisecond

// stopOrphans ends what a killed program left running on dataDir and
// removes the pid file, which Postgres itself would trust although the number
// may be another process's by now. The caller holds the folder's lock, so
// nothing that runs here has a living parent to serve.
func stopOrphans(ctx context.Context, dataDir string) error {
	postmaster, err := readPostmasterPID(dataDir)
	if err != nil {
		return err
	}
	left := serverProcesses(dataDir, postmaster)
	for _, pid := range left {
		sig := syscall.SIGKILL // without a postmaster, a backend serves nobody and can be in the way for long
		if pid == postmaster {
			sig = syscall.SIGINT // "fast": finish no client, but write a checkpoint
		} else if slices.Contains(left, postmaster) {
			continue // its postmaster will end it
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
		return fmt.Errorf("remove what an earlier server left: %w", err)
	}
	return nil
}

// readPostmasterPID returns the process that the pid file names; 0 if there is none.
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
		return 0, nil // cut short by a kill: no server got as far as running
	}
	return pid, nil
}

// pollUntil waits until condition holds.
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
