package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/loadbay/loadbay/client"
)

// outputFile is the file being saved.
type outputFile = os.File

// saveFile writes a file completely or not at all; "-" is standard output.
func (a *app) saveFile(path string, write func(*outputFile) (int64, error)) error {
	if path == "-" {
		out, ok := a.streams.Out.(*os.File)
		if !ok || a.streams.OutIsTerminal {
			return usageError{errors.New("will not print a file on a terminal: set a file name with -o, or redirect the output")}
		}
		_, err := write(out)
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".loadbay-*")
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	n, err := write(part)
	if err = errors.Join(err, part.Close()); err == nil {
		err = publishFile(part.Name(), path)
	}
	if err != nil {
		_ = os.Remove(part.Name())
		if errors.Is(err, client.ErrNoContent) {
			return err
		}
		return fmt.Errorf("save %s: %w", path, err)
	}
	a.notify("Saved %s (%s).", path, formatBytes(n))
	return nil
}

// publishFile renames a finished file and gives it the permissions of an ordinary one.
func publishFile(part, path string) error {
	if err := os.Chmod(part, 0o644); err != nil { //nolint:gosec // as any program saves a file
		return err
	}
	return os.Rename(part, path)
}

// formatBytes formats a number of bytes for people.
func formatBytes(n int64) string {
	const k = 1000
	switch {
	case n < k:
		return fmt.Sprintf("%d bytes", n)
	case n < k*k:
		return fmt.Sprintf("%.1f kB", float64(n)/k)
	case n < k*k*k:
		return fmt.Sprintf("%.1f MB", float64(n)/k/k)
	default:
		return fmt.Sprintf("%.1f GB", float64(n)/k/k/k)
	}
}
