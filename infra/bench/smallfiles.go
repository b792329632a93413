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
	smallRows         = 100 // rows per small file
	sequentialFiles   = 31  // files sent one after the other by callers that wait
	concurrentCallers = 8   // clients that send files concurrently
	smallPollInterval = 50 * time.Millisecond
	maxSmallLatency   = 300 * time.Millisecond
)

// measureSmallFiles measures files of a hundred rows: the latency for a caller that waits for
// the result, and the throughput in files per second under load.
func (b *bench) measureSmallFiles(ctx context.Context, files int) error {
	if err := b.resetTable(ctx, userTable); err != nil {
		return err
	}
	took := make([]time.Duration, sequentialFiles)
	for n := range took {
		j, err := b.importSmallFile(ctx, n)
		if err != nil {
			return err
		}
		took[n] = j.CompletedAt.Sub(j.CreatedAt)
	}
	slices.Sort(took)
	median := took[len(took)/2]
	fmt.Fprintf(b.out, "\nfiles of %d rows, accepted to COMPLETED, with Prefer: wait: median %.0f ms, nine of ten %.0f ms\n",
		smallRows, median.Seconds()*1e3, took[len(took)*9/10].Seconds()*1e3)
	b.goals = append(b.goals, goal{What: "file of 100 rows: milliseconds from acceptance to COMPLETED, median", Got: median.Seconds() * 1e3, Want: maxSmallLatency.Seconds() * 1e3, AtMost: true})
	return b.measureManyFiles(ctx, files)
}

// importSmallFile sends the n-th small file and waits for its result, if possible in the same
// request.
func (b *bench) importSmallFile(ctx context.Context, n int) (*rawclient.Job, error) {
	var file bytes.Buffer
	if err := userTable.sheet.Skip(n*smallRows).CSV(&file, smallRows); err != nil {
		return nil, err
	}
	var j rawclient.Job
	err := b.api.WithPreferWait(15*time.Second).PostForm(ctx, http.MethodPost, "/api/imports", "small.csv", file.Bytes(), map[string]string{"importType": userTable.kind, "autoStart": "true"}, &j)
	if err != nil {
		return nil, fmt.Errorf("bench: import small file: %w", err)
	}
	// Only few requests of an organisation wait at a time; other callers poll.
	if !j.Ended() {
		done, err := b.api.Wait(ctx, j.Identifier, smallPollInterval, nil, (*rawclient.Job).Ended)
		if err != nil {
			return nil, fmt.Errorf("bench: import small file: %w", err)
		}
		j = *done
	}
	if j.Status != "COMPLETED" || j.SuccessCount != smallRows || j.CompletedAt == nil {
		return nil, fmt.Errorf("bench: the small import %s is %s with %d rows", j.Identifier, j.Status, j.SuccessCount)
	}
	return &j, nil
}

// manyFilesReport is the result of sending many small files concurrently.
type manyFilesReport struct {
	Files     int           `json:"files"`
	Rows      int           `json:"rows"` // per file
	Callers   int           `json:"callers"`
	Took      time.Duration `json:"took"`
	PerSecond float64       `json:"perSecond"`
	Usage     usage         `json:"usage"`
}

// measureManyFiles sends many small files concurrently and prints the time per stage.
func (b *bench) measureManyFiles(ctx context.Context, files int) error {
	before := b.stack.Stats()
	var next atomic.Int64
	m, err := b.meter.measure(ctx, func() error {
		group, ctx := errgroup.WithContext(ctx)
		for range concurrentCallers {
			group.Go(func() error {
				for n := next.Add(1) - 1; n < int64(files); n = next.Add(1) - 1 {
					if _, err := b.importSmallFile(ctx, sequentialFiles+int(n)); err != nil {
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
	b.manyFilesResult = &manyFilesReport{Files: files, Rows: smallRows, Callers: concurrentCallers, Took: m.took, PerSecond: float64(files) / m.took.Seconds(), Usage: m.usage}
	fmt.Fprintf(b.out, "%d such files from %d callers: %.1f files/s; processor time per file: Postgres %.1f ms, functions %.1f ms, local AWS endpoint %.1f ms; %d statements, %d bytes of write-ahead log\n",
		files, concurrentCallers, b.manyFilesResult.PerSecond, perFileMillis(m.usage.Postgres, files), perFileMillis(m.usage.functionsCPU(), files), perFileMillis(m.usage.Local, files), m.usage.Calls/int64(files), m.usage.WAL/int64(files))
	b.printByFunction(files, before, b.stack.Stats())
	return nil
}

// printByFunction prints the work of each function per file.
func (b *bench) printByFunction(files int, before, after stack.Stats) {
	fmt.Fprintf(b.out, "  %-12s %12s %12s %12s\n", "a file", "invocations", "ms", "CPU, ms")
	for _, name := range slices.Sorted(maps.Keys(after.Functions)) {
		was, is := before.Functions[name], after.Functions[name]
		if n := is.Invocations - was.Invocations; n > 0 {
			fmt.Fprintf(b.out, "  %-12s %12.2f %12.1f %12.1f\n", name, float64(n)/float64(files), perFileMillis(is.Duration-was.Duration, files), perFileMillis(is.CPU-was.CPU, files))
		}
	}
}

// perFileMillis divides a duration by n, in milliseconds.
func perFileMillis(d time.Duration, n int) float64 { return d.Seconds() * 1e3 / float64(n) }
