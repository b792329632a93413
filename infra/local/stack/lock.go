package stack

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// LockFolder locks a data folder for this process until the file is closed or the process ends
// for any reason. No stack can use the folder in the meantime.
func LockFolder(dataDir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dataDir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		defer func() { _ = file.Close() }()
		holder, _ := io.ReadAll(file) // only for the message
		return nil, fmt.Errorf("another stack is running on %s (process %s): stop it, or set DATA_DIR to another folder",
			dataDir, strings.TrimSpace(string(holder)))
	}
	if err == nil {
		err = errors.Join(file.Truncate(0), writePID(file))
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	return file, nil
}

func writePID(file *os.File) error {
	_, err := fmt.Fprintln(file, os.Getpid())
	return err
}
