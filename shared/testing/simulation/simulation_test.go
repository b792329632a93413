package simulation_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
	"github.com/loadbay/loadbay/shared/testing/simulation"
)

var (
	importCount = flag.Int("seeds", 0, "the number of random imports; 0 for as many as fit into -for")
	importSeed  = flag.Uint64("seed", 0, "run only the import with this seed")
	timeLimit   = flag.Duration("for", 25*time.Second, "the time limit if -seeds is not given; at most 3 s with -short")
)

// newSimulator returns a simulator with its own database.
func newSimulator(t *testing.T) *simulation.Simulator {
	t.Helper()
	d := postgrestest.Setup(t)
	conn, err := pgx.Connect(t.Context(), d.AdminURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	stage, err := simulation.NewSimulator(t.Context(), d.DB, d.Maintenance, conn)
	require.NoError(t, err)
	return stage
}

// workers is the number of imports that run concurrently, each in its own simulator.
const workers = 8

// maxShown is the number of failing seeds that are shown before the test stops.
const maxShown = 5

// TestFailedSeeds runs seeds that once revealed an error. Their content changes with the generator;
// the cases themselves are tests of package step.
func TestFailedSeeds(t *testing.T) {
	t.Parallel()
	stage := newSimulator(t)
	for _, of := range []struct {
		seed uint64
		why  string
	}{
		{226158763091094, "the reason why an order is not made depended on the chunks"},
		{226158763091145, "a value of a row that was refused stayed with a membership"},
		{145818677806661, "an import failed when the splitter ran again after its chunks had met values to be decided"},
		{8419109235535, "an execution ran on whose import was cancelled while reconcile looked at it, by somebody who died"},
	} {
		finished, err := stage.RunImport(t.Context(), of.seed)
		require.NoError(t, err)
		require.Empty(t, finished.Differences, "%s\n%s", of.why, finished)
	}
}

// idPattern matches the text that differs between runs of a seed.
var idPattern = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}`)

// TestSeedIsReproducible: a seed has the same results in every run.
func TestSeedIsReproducible(t *testing.T) {
	t.Parallel()
	stage := newSimulator(t)
	compared := 0
	for seed := uint64(1); compared < 10; seed++ {
		first, err := stage.RunImport(t.Context(), seed)
		require.NoError(t, err)
		if first.Concurrent {
			continue // the database decides the order
		}
		again, err := stage.RunImport(t.Context(), seed)
		require.NoError(t, err)
		compared++
		require.Equal(t, idPattern.ReplaceAllString(fmt.Sprint(first.Trace), "id"), idPattern.ReplaceAllString(fmt.Sprint(again.Trace), "id"), "seed %d", seed)
		require.Equal(t, first.Status, again.Status)
	}
}

// TestRandomImports runs seeds from a different base in every run.
func TestRandomImports(t *testing.T) {
	t.Parallel()
	if *importSeed != 0 {
		finished, err := newSimulator(t).RunImport(t.Context(), *importSeed)
		require.NoError(t, err)
		t.Log(finished)
		require.Empty(t, finished.Differences)
		return
	}
	if testing.Short() {
		*timeLimit = min(*timeLimit, 3*time.Second)
	}
	base := rand.Uint64() >> 16
	began := time.Now()
	var next, failed atomic.Int64
	var mu sync.Mutex
	ended := make(map[job.Status]int)
	rows, again, againRows, changes, undos := 0, 0, 0, 0, 0
	var group sync.WaitGroup
	for range workers {
		stage := newSimulator(t)
		group.Go(func() {
			for failed.Load() < maxShown {
				n := next.Add(1)
				if *importCount > 0 && n > int64(*importCount) || *importCount == 0 && time.Since(began) > *timeLimit {
					return
				}
				finished, err := stage.RunImport(t.Context(), base+uint64(n))
				if err != nil {
					t.Error(err)
					failed.Add(1)
					continue
				}
				if len(finished.Differences) > 0 {
					t.Error(finished)
					failed.Add(1)
				}
				mu.Lock()
				ended[finished.Status]++
				rows += finished.Import.Rows()
				again += finished.Retries
				againRows += finished.RetriedRows
				changes += finished.Changes
				undos += finished.Undos
				mu.Unlock()
			}
		})
	}
	group.Wait()
	total := 0
	for _, n := range ended {
		total += n
	}
	fmt.Printf("ran %d random imports from seed %d with %d rows, %d retries of %d rows, %d changes and %d undos in %s: %v\n", total, base+1, rows, again, againRows, changes, undos, time.Since(began).Round(time.Second), ended)
}
