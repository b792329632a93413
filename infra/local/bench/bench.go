// Package bench measures Loadbay end to end, from the moment an upload is
// accepted until its job is COMPLETED, beside what Postgres can do at all: psql's
// \copy of the same file into an identical table, in the same run and cluster.
package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/loadbay/loadbay/infra/local/client"
	"github.com/loadbay/loadbay/infra/local/sample"
	"github.com/loadbay/loadbay/infra/local/stack"
)

// Config says what is measured.
type Config struct {
	Rows int `env:"BENCH_ROWS" default:"1000000"`
	// Workbook also imports the rows as XLSX.
	Workbook bool `env:"BENCH_WORKBOOK"`
	// Repeat imports the file once more, when every row is a duplicate.
	Repeat bool `env:"BENCH_REPEAT" default:"true"`
}

// Run measures on a stack of its own and prints what it finds.
func Run(ctx context.Context, c stack.Config, cfg Config, out io.Writer) error {
	file := filepath.Join(c.DataDir, "users.csv")
	if err := write(file, func(w io.Writer) error { return sample.Users(w, cfg.Rows, 0) }); err != nil {
		return err
	}
	return stack.Use(ctx, c, func(s *stack.Stack) error { return run(ctx, s, file, c.DataDir, cfg, out) })
}

// run measures the file on a running stack.
func run(ctx context.Context, s *stack.Stack, file, dir string, cfg Config, out io.Writer) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d users, 7 columns, two unique indexes, %.1f MB of CSV\n\n", cfg.Rows, float64(info.Size())/1e6)
	administrator, err := os.ReadFile(filepath.Join(dir, stack.URLFile))
	if err != nil {
		return err
	}
	copied, err := fastestCopy(ctx, strings.TrimSpace(string(administrator)), file)
	if err != nil {
		return err
	}
	report(out, `psql \copy, best of 3`, cfg.Rows, copied, copied)
	api := client.New(s.APIURL, "")
	imported, err := measure(ctx, api, file, client.Summary{Created: int64(cfg.Rows)})
	if err != nil {
		return err
	}
	report(out, "Loadbay, all new", cfg.Rows, imported, copied)
	if cfg.Repeat {
		again, err := measure(ctx, api, file, client.Summary{Error: int64(cfg.Rows)})
		if err != nil {
			return err
		}
		report(out, "Loadbay, all duplicates", cfg.Rows, again, copied)
	}
	if cfg.Workbook {
		took, err := workbook(ctx, api, dir, cfg.Rows)
		if err != nil {
			return err
		}
		report(out, "Loadbay, XLSX, duplicates", cfg.Rows, took, copied)
	}
	memory(out, s)
	return nil
}

// workbook imports the same users once more, as XLSX.
func workbook(ctx context.Context, api *client.Client, dir string, rows int) (time.Duration, error) {
	file := filepath.Join(dir, "users.xlsx")
	if err := write(file, func(w io.Writer) error { return sample.UsersWorkbook(w, rows) }); err != nil {
		return 0, err
	}
	return measure(ctx, api, file, client.Summary{Error: int64(rows)})
}

func write(path string, content func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := content(f); err != nil {
		return err
	}
	return f.Close()
}

// measure imports the file and returns how long that took from the moment its
// upload was complete; it fails when the outcomes are not the expected ones.
func measure(ctx context.Context, api *client.Client, path string, want client.Summary) (time.Duration, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	j, err := api.Upload(ctx, client.Create{ImportType: "USER", Filename: filepath.Base(path), SizeBytes: info.Size(), AutoStart: true}, f)
	if err != nil {
		return 0, err
	}
	accepted := time.Now()
	// Asking rarely leaves the cores to the work.
	j, err = api.Wait(ctx, j.Identifier, 250*time.Millisecond, nil, (*client.Job).Ended)
	if err != nil {
		return 0, err
	}
	got, err := api.Summary(ctx, j.Identifier)
	if err != nil {
		return 0, err
	}
	if got != want || j.Status != "COMPLETED" || j.CompletedAt == nil {
		return 0, fmt.Errorf("import %s is %s with %+v; expected COMPLETED with %+v", j.Identifier, j.Status, got, want)
	}
	// Database and program are on one machine: one clock.
	return j.CompletedAt.Sub(accepted), nil
}

func report(out io.Writer, what string, rows int, took, reference time.Duration) {
	fmt.Fprintf(out, "%-26s %8.2f s %10.0f rows/s   %.2f of \\copy\n", what, took.Seconds(), float64(rows)/took.Seconds(), reference.Seconds()/took.Seconds())
}
