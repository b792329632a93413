package pglaunch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	temporaryPrefix = "loadbay-postgres-"
	// minFreeMemory is the free memory required to use the memory file system: a cluster starts with
	// 40 MB, and containers have 64 MB.
	minFreeMemory = 1 << 30
	// minSweepAge is the minimum age of a folder that is removed: a younger one may be about to be
	// locked.
	minSweepAge = time.Minute
)

// StartTemporary runs a new, empty cluster with ThrowawaySettings, in memory if there is room,
// else in the folder for temporary files. Stop removes it; a cluster left by a killed program is
// removed by a later call.
func StartTemporary(ctx context.Context) (*Server, error) {
	base := os.TempDir()
	if freeBytes("/dev/shm") >= minFreeMemory {
		base = "/dev/shm"
	}
	sweepAbandoned(ctx, base)
	dir, err := os.MkdirTemp(base, temporaryPrefix)
	if err != nil {
		return nil, fmt.Errorf("start a temporary PostgreSQL: %w", err)
	}
	s, err := Start(ctx, Config{Dir: dir, Settings: ThrowawaySettings()})
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	s.remove = true
	return s, nil
}

// sweepAbandoned removes temporary clusters of ended programs, on a best-effort basis:
// a remaining folder only wastes space, and the next call tries again.
func sweepAbandoned(ctx context.Context, base string) {
	dirs, err := filepath.Glob(filepath.Join(base, temporaryPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil || time.Since(info.ModTime()) < minSweepAge {
			continue
		}
		held, err := lockDir(dir)
		if err != nil {
			continue
		}
		if stopOrphans(ctx, filepath.Join(dir, "data")) == nil {
			_ = os.RemoveAll(dir)
		}
		_ = held.Close()
	}
}
