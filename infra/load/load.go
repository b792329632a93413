// Package load measures how much one organisation slows the others down. Run has one import a
// large file while many import small ones and poll their status: it reports the duration of the
// small imports with and without the large one, the API's latency meanwhile, and whether every row
// has an outcome. RunFair has a hostile organisation use up its quotas in several ways, and
// compares the imports of ordinary ones with and without each of them.
package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/infra/sample"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// Config sets the amount of work.
type Config struct {
	// Tenants is the number of organisations that import small files concurrently.
	Tenants int `env:"LOAD_TENANTS" default:"20"`
	// Files is the number of small files per organisation, imported one after the other.
	Files int `env:"LOAD_FILES" default:"5"`
	// Rows is the number of rows in the large file.
	Rows int `env:"LOAD_ROWS" default:"1000000"`
}

// Validate rejects an empty load.
func (c *Config) Validate() error {
	if c.Tenants < 1 || c.Files < 1 || c.Rows < 1 {
		return errors.New("LOAD_TENANTS, LOAD_FILES and LOAD_ROWS must be at least 1")
	}
	return nil
}

// smallRows is the number of rows in a small file.
const smallRows = 100

// The organisations of a load test: the one with the large file, and the first of the others.
const (
	largeTenant = 9_000
	firstTenant = 10_000
)

// Target is a running Loadbay.
type Target struct {
	// API is its address, such as http://127.0.0.1:8080.
	API string
	// Database is an administrator's URL of its database.
	Database string
}

// Result holds the measurements.
type Result struct {
	// Alone and Concurrent are the durations of small imports, from the request to COMPLETED, without
	// and with the large import.
	Alone, Concurrent Times
	// StatusAlone and StatusConcurrent are the API's latencies for status requests meanwhile.
	StatusAlone, StatusConcurrent Times
	// Large is the duration of the large import.
	Large time.Duration
	// FinishedFirst is the number of small imports that started after the first rows of the large one
	// were written and ended before it.
	FinishedFirst int
}

// Measure runs the load and checks that every row has an outcome.
func Measure(ctx context.Context, target Target, cfg Config) (*Result, error) {
	db, err := pgx.Connect(ctx, target.Database)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	defer db.Close(ctx)
	heavy, tenants, err := createTenants(ctx, target.API, cfg.Tenants)
	if err != nil {
		return nil, err
	}
	var r Result
	begun := time.Now()
	watched, err := tenants[0].importSmall(ctx, "warm-up", 0)
	if err != nil {
		return nil, err
	}
	stop := probeStatus(ctx, tenants[0].Client, watched.Identifier, &r.StatusAlone)
	if r.Alone, _, err = importAll(ctx, tenants, "alone", cfg.Files); err != nil {
		return nil, err
	}
	if err := stop(); err != nil {
		return nil, err
	}
	if err := r.measureConcurrent(ctx, heavy, tenants, cfg); err != nil {
		return nil, err
	}
	return &r, checkRows(ctx, db, cfg, begun)
}

// measureConcurrent imports the small files while the large one is being processed.
func (r *Result) measureConcurrent(ctx context.Context, heavy *tenant, tenants []*tenant, cfg Config) error {
	begun := time.Now()
	large, err := heavy.importLarge(ctx, cfg.Rows)
	if err != nil {
		return err
	}
	_, err = heavy.Wait(ctx, large.Identifier, 10*time.Millisecond, nil, func(j *rawclient.Job) bool { return j.ProcessedRows > 0 || j.Ended() })
	if err != nil {
		return err
	}
	stop := probeStatus(ctx, heavy.Client, large.Identifier, &r.StatusConcurrent)
	times, ended, err := importAll(ctx, tenants, "beside", cfg.Files)
	if err != nil {
		return err
	}
	large, err = heavy.Wait(ctx, large.Identifier, 50*time.Millisecond, nil, (*rawclient.Job).Ended)
	if err != nil {
		return err
	}
	if large.Status != "COMPLETED" || large.SuccessCount != int64(cfg.Rows) {
		return fmt.Errorf("load: the large import is %s with %d of %d rows", large.Status, large.SuccessCount, cfg.Rows)
	}
	r.Concurrent, r.Large = times, large.CompletedAt.Sub(begun)
	for _, end := range ended {
		if end.Before(*large.CompletedAt) {
			r.FinishedFirst++
		}
	}
	return stop()
}

// importLarge uploads the large file, which starts its import.
func (t *tenant) importLarge(ctx context.Context, rows int) (*rawclient.Job, error) {
	f, err := os.CreateTemp("", "loadbay-load-*.csv")
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := sample.Users(f, rows, 0); err != nil {
		return nil, err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return t.Upload(ctx, rawclient.CreateRequest{ImportType: "USER", Filename: "large.csv", SizeBytes: size, AutoStart: true}, f)
}

// smallFile returns the contents of a small file, with users that no other file contains.
func smallFile(name string, number int) string {
	var out strings.Builder
	out.WriteString("email,name\n")
	for i := range smallRows {
		fmt.Fprintf(&out, "%s.%d.%d@example.org,Somebody\n", name, number, i)
	}
	return out.String()
}
