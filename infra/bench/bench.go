// Package bench measures Loadbay end to end, from the moment an upload is
// complete until its job is COMPLETED, compared with what Postgres can do at all: psql's
// \copy of the same rows into an identical table, by one connection and by two, in the same run
// and cluster. Beside the time stands what was used: processor time by role, bytes of the
// write-ahead log, pages.
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

// Config says what is measured.
type Config struct {
	Rows Sizes `env:"BENCH_ROWS" default:"1000000"`
	// Matrix measures files of every size, shape and format in every mode.
	Matrix bool `env:"BENCH_MATRIX"`
	// Limit is after how long a matrix begins with no further file.
	Limit time.Duration `env:"BENCH_LIMIT" default:"15m"`
	// Workbook also imports the rows as XLSX, when they are new.
	Workbook bool `env:"BENCH_WORKBOOK"`
	// Repeat imports the file once more, when every row is a duplicate.
	Repeat bool `env:"BENCH_REPEAT" default:"true"`
	// Upsert imports the file as upserts, with its change set and without.
	Upsert bool `env:"BENCH_UPSERT" default:"true"`
	// Undo plans the file as upserts, applies that and undoes it, and undoes new rows.
	Undo bool `env:"BENCH_UNDO" default:"true"`
	// First is how many rows the first large file of each type has; 0 for no first day.
	First int `env:"BENCH_FIRST" default:"40000"`
	// Files is how many small files are sent; 0 for none.
	Files int `env:"BENCH_FILES" default:"300"`
	// Cold is how many times each function is started to see how long that takes; 0 for none.
	Cold int `env:"BENCH_COLD" default:"11"`
	// Values is how many rows the file has of which one in ten has a value of its own; 0 for none.
	Values int `env:"BENCH_VALUES" default:"1000000"`
	// Report is the file that all figures are written to as well, as JSON.
	Report string `env:"BENCH_REPORT" default:"bin/bench.json"`
}

// bench is a running stack that is measured.
type bench struct {
	stack            *stack.Stack
	api              *rawclient.Client
	dir              string
	url              string // the administrator's, of the database
	database         *pgx.Conn
	out              io.Writer
	meter            *meter
	peers            peers         // of the rows that are measured now
	measurements     []measurement // so far
	goals            []goal        // of what is measured besides imports beside their peers
	coldStartResults []coldStart
	manyFilesResult  *manyFilesReport // nil unless measured
}

// Run measures on a stack of its own and prints what it finds.
func Run(ctx context.Context, c stack.Config, cfg Config, out io.Writer) error {
	c.LogLevel = "DEBUG" // where the time of each chunk stands
	c.Postgres = pglaunch.BulkSettings()
	c.Postgres.TrackStatements = true
	c.Setting = raiseFileLimit(c.Setting)
	return stack.Run(ctx, c, func(s *stack.Stack) error {
		b := &bench{stack: s, api: rawclient.New(s.APIURL, ""), dir: c.DataDir, url: s.DatabaseURL(), out: out}
		return errors.Join(b.withDatabase(ctx, func() error { return b.run(ctx, cfg) }), b.writeReport(cfg))
	})
}

// maxFileBytes is what a file may have while it is measured: 5,000,000 rows of seven columns have 700 MB.
const maxFileBytes = 4 << 30

// raiseFileLimit sets that, unless whoever measures has set another limit.
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

// withDatabase runs f while the database can be asked.
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

// run measures what is asked for.
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

// measureFreshStack measures what only a stack without a past shows, and small files.
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

// measureUsers measures users of seven columns: new ones, all of them once more, as upserts, and taking
// such imports back.
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

// runStep measures one import and shows it.
func (b *bench) runStep(ctx context.Context, subj benchTable, rows int, s step) error {
	_, err := b.measureStep(ctx, subj, rows, s)
	return err
}

// measureStep is step, and returns the import.
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
	m.took = stages.total() // without the upload, and without waiting for a poll
	return id, b.record(ctx, measurement{Rows: rows, Subject: subj.name, What: s.name(), timedUsage: m, stages: stages})
}

// record notes and prints what was measured of the latest job.
func (b *bench) record(ctx context.Context, f measurement) (err error) {
	if f.Changes, err = b.changeSetBytes(ctx); err != nil {
		return err
	}
	b.print(f)
	return nil
}
