package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/loadbay/loadbay/client"
)

// The interval at which a folder is read, and for how long a file must not change before it is
// imported: another program may still be writing it.
const (
	folderInterval = 2 * time.Second
	settleTime     = 5 * time.Second
)

// Folders below a watched one, to which its files are moved.
const (
	folderDone   = "done"
	folderFailed = "failed"
)

// watchFolder imports each file that appears in a folder, until Ctrl-C. Files are moved to the folder
// done, or to failed unless all their rows were imported.
func (a *app) watchFolder(ctx context.Context, caller *client.Client, f *importFlags, folder string) error {
	for _, sub := range []string{folderDone, folderFailed} {
		if err := os.MkdirAll(filepath.Join(folder, sub), 0o750); err != nil {
			return fmt.Errorf("watch %s: %w", folder, err)
		}
	}
	a.notify("Waiting for files in %s. To stop, press Ctrl-C.", folder)
	for {
		ready, err := settledFiles(folder, time.Now().Add(-settleTime))
		if err != nil {
			return err
		}
		for _, path := range ready {
			if err := a.importWatched(ctx, caller, f, path); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(folderInterval):
		}
	}
}

// settledFiles returns the files of a folder that have not changed since a time, in the order of
// their names. Hidden files are not imported.
func settledFiles(folder string, since time.Time) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var ready []string
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() && info.Size() > 0 && !strings.HasPrefix(e.Name(), ".") && info.ModTime().Before(since) {
			ready = append(ready, filepath.Join(folder, e.Name()))
		}
	}
	return ready, nil
}

// importWatched imports a file and moves it. Only errors that affect all files are returned.
func (a *app) importWatched(ctx context.Context, caller *client.Client, f *importFlags, path string) error {
	a.file = path
	result := a.importOne(ctx, caller, source{f, path})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	to := folderDone
	if a.reportFile(path, result) != nil {
		to = folderFailed
	}
	target := filepath.Join(filepath.Dir(path), to, time.Now().UTC().Format("20060102T150405Z-")+filepath.Base(path))
	if err := os.Rename(path, target); err != nil {
		return fmt.Errorf("move the imported file, which would be imported again: %w", err)
	}
	a.notify("Moved to %s.", target)
	return nil
}
