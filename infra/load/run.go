package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/stack"
)

// Run measures on a stack of its own and prints the results. It fails if a small import had to
// wait for the large one, if a row has no outcome, or if a function used more memory than it has
// on AWS.
func Run(ctx context.Context, c stack.Config, cfg Config, out io.Writer) error {
	return stack.Run(ctx, c, func(s *stack.Stack) error {
		fmt.Fprintf(out, "%d organisations import %d files of %d rows each, alone and concurrently with one of %d rows\n\n", cfg.Tenants, cfg.Files, smallRows, cfg.Rows)
		result, err := Measure(ctx, Target{API: s.APIURL, Database: s.DatabaseURL()}, cfg)
		if err != nil {
			return err
		}
		result.print(out)
		return errors.Join(result.CheckFairness(), printMemory(out, s.Stats()))
	})
}

// CheckFairness returns an error with the number of small imports that had to wait for the large
// one, if any.
func (r *Result) CheckFairness() error {
	if waited := len(r.Concurrent) - r.FinishedFirst; waited > 0 {
		return fmt.Errorf("load: %d of %d small imports ended after the large one, which took %s", waited, len(r.Concurrent), r.Large)
	}
	return nil
}

func (r *Result) print(out io.Writer) {
	fmt.Fprintf(out, "%-38s %9s %9s %9s %7s\n", "", "median", "p99", "longest", "number")
	for _, line := range []struct {
		what  string
		times Times
	}{
		{"small imports, alone", r.Alone},
		{"small imports, with the large one", r.Concurrent},
		{"status call, small imports alone", r.StatusAlone},
		{"status call, with the large one", r.StatusConcurrent},
	} {
		fmt.Fprintf(out, "%-38s %9s %9s %9s %7d\n", line.what, roundDuration(line.times.Percentile(0.5)), roundDuration(line.times.Percentile(0.99)), roundDuration(line.times.Percentile(1)), len(line.times))
	}
	fmt.Fprintf(out, "\nThe large import took %s. %d of %d later small imports finished before it.\n", roundDuration(r.Large), r.FinishedFirst, len(r.Concurrent))
	fmt.Fprintln(out, "Every row of every file is in the database exactly once, and every line is counted.")
}

func roundDuration(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }

// printMemory prints the highest memory use of each function's processes, compared with the
// function's memory on AWS.
func printMemory(out io.Writer, figures stack.Stats) error {
	var errs []error
	fmt.Fprintln(out, "\npeak memory of one process")
	functions := blueprint.New().Functions
	for _, name := range slices.Sorted(maps.Keys(figures.Functions)) {
		f := figures.Functions[name]
		if f.Invocations == 0 {
			continue
		}
		limit := functions[slices.IndexFunc(functions, func(f blueprint.Function) bool { return f.Name == name })].Memory
		used := f.PeakMemory >> 20
		fmt.Fprintf(out, "  %-12s %4d of %4d MiB   (%d invocations)\n", name, used, limit, f.Invocations)
		if used > int64(limit) {
			errs = append(errs, fmt.Errorf("load: %s used %d MiB of %d", name, used, limit))
		}
	}
	return errors.Join(errs...)
}
