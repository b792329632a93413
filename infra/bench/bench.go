// Package bench measures Loadbay end to end, from the completed upload until the job is
// COMPLETED, and compares it with plain Postgres: psql's \copy of the same rows into an
// identical table, over one connection and over two, in the same run and cluster. Next to the
// time it reports the resources used: processor time by role, bytes of the write-ahead log,
// pages.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// Config selects the measurements.
type Config struct {
	Rows Sizes `env:"BENCH_ROWS" default:"1000000"`
	// Matrix measures files of every size, shape and format in every mode.
	Matrix bool `env:"BENCH_MATRIX"`
	// Limit is the time after which the matrix starts no further file.
	Limit time.Duration `env:"BENCH_LIMIT" default:"15m"`
	// Workbook also imports the new rows as XLSX.
	Workbook bool `env:"BENCH_WORKBOOK"`
	// Repeat imports the file a second time, when every row is a duplicate.
	Repeat bool `env:"BENCH_REPEAT" default:"true"`
	// Upsert imports the file as upserts, with and without a change set.
	Upsert bool `env:"BENCH_UPSERT" default:"true"`
	// Undo plans the file as upserts, applies the plan and undoes it, and undoes new rows.
	Undo bool `env:"BENCH_UNDO" default:"true"`
	// First is the number of rows in the first large file of each type; 0 skips the measurement of
	// a new database.
	First int `env:"BENCH_FIRST" default:"40000"`
	// Files is the number of small files; 0 for none.
	Files int `env:"BENCH_FILES" default:"300"`
	// Cold is the number of measured cold starts per function; 0 for none.
	Cold int `env:"BENCH_COLD" default:"11"`
	// Values is the number of rows in the file with a distinct value for every ten rows; 0 for none.
	Values int `env:"BENCH_VALUES" default:"1000000"`
	// Report is the path of the report with all figures, as JSON.
	Report string `env:"BENCH_REPORT" default:"bin/bench.json"`
}

// bench is a running stack under measurement.
type bench struct {
	stack            *stack.Stack
	api              *rawclient.Client
	dir              string
	url              string // database URL of the administrator
	database         *pgx.Conn
	out              io.Writer
	meter            *meter
	peers            peers // for the current rows
	measurements     []measurement
	goals            []goal // goals without a peer import
	coldStartResults []coldStart
	manyFilesResult  *manyFilesReport // nil unless measured
}

// Run measures on a stack of its own and prints the results.
func Run(ctx context.Context, c stack.Config, cfg Config, out io.Writer) error {
	c.LogLevel = "DEBUG" // the log contains the time of each chunk
	c.Postgres = pglaunch.BulkSettings()
	c.Postgres.TrackStatements = true
	c.Setting = raiseFileLimit(c.Setting)
	return stack.Run(ctx, c, func(s *stack.Stack) error {
		b := &bench{stack: s, api: rawclient.New(s.APIURL, ""), dir: c.DataDir, url: s.DatabaseURL(), out: out}
		return errors.Join(b.withDatabase(ctx, func() error { return b.run(ctx, cfg) }), b.writeReport(cfg))
	})
}

// maxFileBytes is the file size limit during measurements: 5,000,000 rows of seven columns have
// 700 MB.
const maxFileBytes = 4 << 30

// raiseFileLimit sets maxFileBytes unless the environment sets another limit.
func raiseFileLimit(setting func(string) (string, bool)) func(string) (string, bool) {
	return func(name string) (value string, set bool) {
		if setting != nil {
			if value, set = setting(name); set {
				return value, true
			}
		}
		if name == "MAX_FILE_BYTES" {
			return strconv.Itoa(maxFileBytes), true
		}
		return "", false
	}
}

// withDatabase runs f with a connection to the database.
func (b *bench) withDatabase(ctx context.Context, f func() error) (err error) {
	if b.database, err = pgx.Connect(ctx, b.url); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer b.database.Close(context.WithoutCancel(ctx))
	if b.meter, err = newMeter(ctx, b); err != nil {
		return err
	}
	return errors.Join(f(), b.meter.close(context.WithoutCancel(ctx)))
}

// run runs the selected measurements.
func (b *bench) run(ctx context.Context, cfg Config) error {
	if cfg.Matrix {
		return b.measureMatrix(ctx, cfg)
	}
	if err := b.measureFreshStack(ctx, cfg); err != nil {
		return err
	}
	for _, rows := range cfg.Rows {
		if err := b.measureUsers(ctx, rows, cfg); err != nil {
			return err
		}
	}
	return nil
}

// measureFreshStack measures effects that only a new stack shows, and small files.
func (b *bench) measureFreshStack(ctx context.Context, cfg Config) error {
	if cfg.First > 0 {
		b.printHeading()
		if err := b.measureFirstImports(ctx); err != nil {
			return err
		}
		if err := b.measureNewStack(ctx, cfg.First); err != nil {
			return err
		}
	}
	if cfg.Cold > 0 {
		if err := b.measureColdStarts(ctx, cfg.Cold); err != nil {
			return err
		}
	}
	if cfg.Files > 0 {
		if err := b.measureSmallFiles(ctx, cfg.Files); err != nil {
			return err
		}
	}
	if cfg.Values > 0 {
		if err := b.measureValues(ctx, cfg.Values); err != nil {
			return err
		}
	}
	fmt.Fprintln(b.out)
	return nil
}

// measureUsers measures users with seven columns: new ones, all of them a second time, as
// upserts, and the undo of such imports.
func (b *bench) measureUsers(ctx context.Context, rows int, cfg Config) error {
	if err := b.resetTable(ctx, userTable); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%d users, 7 columns, two unique indexes\n\n", rows)
	if err := b.measureCopy(ctx, userTable, rows); err != nil {
		return err
	}
	b.printHeading()
	b.printPeer(userTable, rows, `psql \copy`, b.peers.singleCopy)
	b.printPeer(userTable, rows, `two \copy, half a file each`, b.peers.parallelCopy)
	n := int64(rows)
	steps := []step{{"csv", "insert", "new", rawclient.Summary{Created: n}}}
	if cfg.Repeat {
		steps = append(steps, step{"csv", "insert", "duplicates", rawclient.Summary{Error: n}})
	}
	for _, s := range steps {
		if err := b.runStep(ctx, userTable, rows, s); err != nil {
			return err
		}
	}
	if cfg.Workbook && rows <= maxSheetRows {
		if err := b.resetTable(ctx, userTable); err != nil {
			return err
		}
		if err := b.runStep(ctx, userTable, rows, step{"xlsx", "insert", "new", rawclient.Summary{Created: n}}); err != nil {
			return err
		}
	}
	if cfg.Upsert {
		if err := b.measureUpserts(ctx, userTable, rows); err != nil {
			return err
		}
	}
	if cfg.Undo {
		return b.measureUndo(ctx, userTable, rows)
	}
	return nil
}

// step is one import to measure.
type step struct {
	format, mode, what string
	want               rawclient.Summary
}

func (s step) name() string { return strings.ToUpper(s.format) + " " + s.mode + ", " + s.what }

// runStep measures one import and prints the result.
func (b *bench) runStep(ctx context.Context, subj benchTable, rows int, s step) error {
	_, err := b.measureStep(ctx, subj, rows, s)
	return err
}

// measureStep is runStep, and returns the id of the import.
func (b *bench) measureStep(ctx context.Context, subj benchTable, rows int, s step) (id string, err error) {
	file, err := b.writeSubjectFile(subj, s.format, rows)
	if err != nil {
		return "", err
	}
	var stages stages
	m, err := b.meter.measure(ctx, func() (err error) {
		id, stages, err = b.importFile(ctx, subj, file, s)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("bench: %s of %s, %d rows: %w", s.name(), subj.name, rows, err)
	}
	m.took = stages.total() // without the upload and the polling delay
	return id, b.record(ctx, measurement{Rows: rows, Subject: subj.name, What: s.name(), timedUsage: m, stages: stages})
}

// record stores and prints the measurement of the latest job.
func (b *bench) record(ctx context.Context, f measurement) (err error) {
	if f.Changes, err = b.changeSetBytes(ctx); err != nil {
		return err
	}
	b.print(f)
	return nil
}
