package pglaunch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// ErrInUse means that another running program has locked the folder.
var ErrInUse = errors.New("the folder is in use by another running program")

// Lock keeps other programs from starting the cluster in dir, for example while its files are
// copied, and stops the processes that a killed program left running there. Closing the file
// unlocks the folder.
func Lock(ctx context.Context, dir string) (*os.File, error) {
	held, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	if err := stopOrphans(ctx, Config{Dir: dir}.dataDir()); err != nil {
		_ = held.Close()
		return nil, err
	}
	return held, nil
}

// lockDir locks dir for this process until the file is closed or the process ends.
func lockDir(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return file, nil
	}
	_ = file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrInUse
	}
	return nil, fmt.Errorf("lock %s: %w", dir, err)
}
