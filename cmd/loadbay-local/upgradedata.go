package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/shared/runtime/config"
)

// upgradeData moves the data in DATA_DIR to the version of the PostgreSQL programs.
func upgradeData(ctx context.Context, out io.Writer) error {
	var s settings
	if err := config.Load(&s, os.LookupEnv); err != nil {
		return err
	}
	if s.DatabaseURL != "" {
		return errors.New("DATABASE_URL is set: only the data of a server that the stack starts can be moved")
	}
	from, to, err := stack.UpgradeData(ctx, s.DataDir, func(sentence string) { printLine(out, sentence) })
	if err != nil {
		return err
	}
	if from == to {
		printLine(out, fmt.Sprintf("The data in %s is of PostgreSQL %d already.", s.DataDir, to))
		return nil
	}
	printLine(out, fmt.Sprintf("The data in %s is of PostgreSQL %d now. Delete the old data when everything works: %s",
		s.DataDir, to, filepath.Join(s.DataDir, "postgres", fmt.Sprintf("data-%d", from))))
	return nil
}
