package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/loadbay/loadbay/infra/local/backup"
	"github.com/loadbay/loadbay/shared/runtime/config"
)

// copyState backs up the state of DATA_DIR to a folder, or restores it from there.
func copyState(ctx context.Context, out io.Writer, command, dir string) error {
	var s settings
	if err := config.Load(&s, os.LookupEnv); err != nil {
		return err
	}
	if s.DatabaseURL != "" {
		return errors.New("DATABASE_URL is set: backup and restore copy only a database that the stack starts itself; use the tools of that server")
	}
	if command == "backup" {
		d, err := backup.Create(ctx, s.DataDir, dir)
		if err != nil {
			return err
		}
		printLine(out, fmt.Sprintf("Backed up %d files of %s to %s (%s).", d.Files, s.DataDir, dir, megabytes(d.Size)))
		return nil
	}
	d, err := backup.Restore(ctx, dir, s.DataDir)
	if err != nil {
		return err
	}
	printLine(out, fmt.Sprintf("Restored the backup of %s (Loadbay %s) to %s. Start it with loadbay-local run.", d.CreatedAt.Format("2006-01-02 15:04:05 UTC"), d.Version, s.DataDir))
	return nil
}

// megabytes formats a size, rounded up.
func megabytes(bytes int64) string { return fmt.Sprintf("%d MB", (bytes+1<<20-1)>>20) }
