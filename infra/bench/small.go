package bench

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

const (
	smallRows    = 100 // of a small file
	oneByOne     = 31  // files whose callers wait, one after the other
	callers      = 8   // that send many files at once
	smallLatency = 300 * time.Millisecond
)

// small measures files of a hundred rows: how long a caller who prefers to wait does so, and how
// many files a second come to their end when many are sent.
func (b *bench) small(ctx context.Context, files int) error {
	if err := b.prepare(ctx, users); err != nil {
		return err
	}
	took := make([]time.Duration, oneByOne)
	for n := range took {
		j, err := b.waitedFor(ctx, n)
		if err != nil {
			return err
		}
		took[n] = j.CompletedAt.Sub(j.CreatedAt)
	}
	slices.Sort(took)
	median := took[len(took)/2]
	fmt.Fprintf(b.out, "\nfiles of %d rows, accepted to COMPLETED, with Prefer: wait: median %.0f ms, nine of ten %.0f ms\n",
		smallRows, median.Seconds()*1e3, took[len(took)*9/10].Seconds()*1e3)
	b.goals = append(b.goals, goal{What: "a file of 100 rows: milliseconds from accepted to COMPLETED, median", Got: median.Seconds() * 1e3, Want: smallLatency.Seconds() * 1e3, AtMost: true})
	return b.many(ctx, files)
}

// waitedFor sends the n-th small file and waits for its end in the same request.
func (b *bench) waitedFor(ctx context.Context, n int) (*rawclient.Job, error) {
	var file bytes.Buffer
	if err := users.sheet.From(n*smallRows).CSV(&file, smallRows); err != nil {
		return nil, err
	}
	var j rawclient.Job
	err := b.api.Patient(15*time.Second).Form(ctx, http.MethodPost, "/api/imports", "small.csv", file.Bytes(), map[string]string{"importType": users.kind, "autoStart": "true"}, &j)
	if err != nil {
		return nil, fmt.Errorf("bench: a small file: %w", err)
	}
	if j.Status != "COMPLETED" || j.SuccessCount != smallRows || j.CompletedAt == nil {
		return nil, fmt.Errorf("bench: the small import %s is %s with %d rows", j.Identifier, j.Status, j.SuccessCount)
	}
	return &j, nil
}

// manyFiles is what many small files took that were sent at once.
type manyFiles struct {
	Files     int           `json:"files"`
	Rows      int           `json:"rows"` // of each
	Callers   int           `json:"callers"`
	Took      time.Duration `json:"took"`
	PerSecond float64       `json:"perSecond"`
	Usage     usage         `json:"usage"`
}

// many sends many small files at once and shows where their time goes.
func (b *bench) many(ctx context.Context, files int) error {
	before := b.stack.Figures()
	var next atomic.Int64
	m, err := b.meter.of(ctx, func() error {
		group, ctx := errgroup.WithContext(ctx)
		for range callers {
			group.Go(func() error {
				for n := next.Add(1) - 1; n < int64(files); n = next.Add(1) - 1 {
					if _, err := b.waitedFor(ctx, oneByOne+int(n)); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return group.Wait()
	})
	if err != nil {
		return err
	}
	b.files = &manyFiles{Files: files, Rows: smallRows, Callers: callers, Took: m.took, PerSecond: float64(files) / m.took.Seconds(), Usage: m.usage}
	fmt.Fprintf(b.out, "%d such files by %d callers: %.1f files/s; of each, %.1f ms of Postgres's processor time, %.1f of the functions', %.1f of what stands in for AWS; %d statements, %d bytes of the log\n",
		files, callers, b.files.PerSecond, per(m.usage.Postgres, files), per(m.usage.own(), files), per(m.usage.Local, files), m.usage.Calls/int64(files), m.usage.WAL/int64(files))
	b.byFunction(files, before, b.stack.Figures())
	return nil
}

// byFunction shows what each function has done for each of the files.
func (b *bench) byFunction(files int, before, after stack.Figures) {
	fmt.Fprintf(b.out, "  %-12s %12s %12s %12s\n", "a file", "invocations", "ms", "CPU, ms")
	for _, name := range slices.Sorted(maps.Keys(after.Functions)) {
		was, is := before.Functions[name], after.Functions[name]
		if n := is.Invocations - was.Invocations; n > 0 {
			fmt.Fprintf(b.out, "  %-12s %12.2f %12.1f %12.1f\n", name, float64(n)/float64(files), per(is.Duration-was.Duration, files), per(is.CPU-was.CPU, files))
		}
	}
}

// per is the milliseconds of each of n.
func per(d time.Duration, n int) float64 { return d.Seconds() * 1e3 / float64(n) }
