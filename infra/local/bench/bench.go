// Package bench measures Loadbay end to end, from the moment an upload is
// complete until its job is COMPLETED, compared with what Postgres can do at all: psql's
// \copy of the same rows into an identical table, in the same run and cluster.
package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/infra/local/client"
	"github.com/loadbay/loadbay/infra/local/stack"
)

// Config says what is measured.
type Config struct {
	Rows Sizes `env:"BENCH_ROWS" default:"1000000"`
	// Matrix measures files of every size, shape and format in every mode.
	Matrix bool `env:"BENCH_MATRIX"`
	// Limit is after how long a matrix begins with no further file.
	Limit time.Duration `env:"BENCH_LIMIT" default:"15m"`
	// Workbook also imports the rows as XLSX.
	Workbook bool `env:"BENCH_WORKBOOK"`
	// Repeat imports the file once more, when every row is a duplicate.
	Repeat bool `env:"BENCH_REPEAT" default:"true"`
	// Upsert imports the file as upserts, with its change set and without.
	Upsert bool `env:"BENCH_UPSERT" default:"true"`
	// Undo plans the file as upserts, applies that and undoes it, and undoes new rows.
	Undo bool `env:"BENCH_UNDO" default:"true"`
}

// bench is a running stack that is measured.
type bench struct {
	stack    *stack.Stack
	api      *client.Client
	dir      string
	url      string // the administrator's, of the database
	database *pgx.Conn
	out      io.Writer
}

// Run measures on a stack of its own and prints what it finds.
func Run(ctx context.Context, c stack.Config, cfg Config, out io.Writer) error {
	c.LogLevel = "DEBUG" // where the time of each chunk stands
	return stack.Use(ctx, c, func(s *stack.Stack) error {
		b := &bench{stack: s, api: client.New(s.APIURL, ""), dir: c.DataDir, url: s.DatabaseURL(), out: out}
		var err error
		if b.database, err = pgx.Connect(ctx, b.url); err != nil {
			return fmt.Errorf("bench: %w", err)
		}
		defer b.database.Close(context.WithoutCancel(ctx))
		if cfg.Matrix {
			return b.matrix(ctx, cfg)
		}
		for _, rows := range cfg.Rows {
			if err := b.simple(ctx, rows, cfg); err != nil {
				return err
			}
		}
		return nil
	})
}

// simple measures users of seven columns: new ones, all of them once more, as upserts, and taking
// such imports back.
func (b *bench) simple(ctx context.Context, rows int, cfg Config) error {
	if err := b.prepare(ctx, users); err != nil {
		return err
	}
	file, err := b.write(users, "csv", rows)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%d users, 7 columns, two unique indexes, %.1f MB of CSV\n\n", rows, float64(info.Size())/1e6)
	copied, err := b.fastestCopy(ctx, users, file)
	if err != nil {
		return err
	}
	two, err := b.twoCopies(ctx, users, file)
	if err != nil {
		return err
	}
	b.heading()
	b.print(figure{rows: rows, subject: users, what: `psql \copy, best of 3`, took: copied, copied: copied})
	b.print(figure{rows: 2 * rows, subject: users, what: `two \copy at once`, took: two, copied: 2 * copied})
	steps := []step{{"csv", "insert", "new", client.Summary{Created: int64(rows)}}}
	if cfg.Repeat {
		steps = append(steps, step{"csv", "insert", "duplicates", client.Summary{Error: int64(rows)}})
	}
	if cfg.Workbook {
		steps = append(steps, step{"xlsx", "insert", "duplicates", client.Summary{Error: int64(rows)}})
	}
	show := func(s step) error {
		f, err := b.step(ctx, users, rows, s, copied)
		if err == nil {
			b.print(f)
		}
		return err
	}
	for _, s := range steps {
		if err := show(s); err != nil {
			return err
		}
	}
	if cfg.Upsert {
		if err := b.upserts(ctx, users, rows, show); err != nil {
			return err
		}
	}
	if cfg.Undo {
		if err := b.reversible(ctx, users, rows, copied); err != nil {
			return err
		}
	}
	b.legend()
	b.memory()
	return nil
}

// step is one import to measure.
type step struct {
	format, mode, what string
	want               client.Summary
}

// step measures one import.
func (b *bench) step(ctx context.Context, subj subject, rows int, s step, copied time.Duration) (figure, error) {
	file, err := b.write(subj, s.format, rows)
	if err != nil {
		return figure{}, err
	}
	if _, err := b.database.Exec(ctx, "CHECKPOINT"); err != nil {
		return figure{}, fmt.Errorf("bench: %w", err)
	}
	id, stages, err := b.measure(ctx, subj, file, s)
	if err != nil {
		return figure{}, fmt.Errorf("bench: %s %s %s of %d rows, %s: %w", s.format, s.mode, subj.name, rows, s.what, err)
	}
	changes, err := b.changeSet(ctx)
	if err != nil {
		return figure{}, err
	}
	return figure{
		rows: rows, subject: subj, what: strings.ToUpper(s.format) + " " + s.mode + ", " + s.what,
		took: stages.total(), copied: copied, stages: stages, changes: changes, job: id,
	}, nil
}
