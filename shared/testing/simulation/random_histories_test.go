package simulation_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/undo"
)

var (
	workloadCount    = flag.Int("histories", 0, "the number of random histories; 0 for as many as fit into -history-time")
	workloadSeed     = flag.Uint64("history", 0, "run only the history with this seed")
	workloadSteps    = flag.Int("steps", 0, "the number of steps to run of a history; 0 for all")
	workloadDuration = flag.Duration("history-time", 15*time.Second, "the time limit if -histories is not given; at most 3 s with -short")
)

// workloadWorkers is the number of workloads that run concurrently, each in its own simulator.
const workloadWorkers = 4

// TestRandomHistories runs seeds from a different base in every run.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	if *workloadSeed != 0 {
		lived, err := newSimulator(t).RunWorkload(t.Context(), *workloadSeed, *workloadSteps)
		require.NoError(t, err)
		t.Log(lived)
		require.Empty(t, lived.Differences)
		return
	}
	if testing.Short() {
		*workloadDuration = min(*workloadDuration, 3*time.Second)
	}
	base, began := rand.Uint64()>>16, time.Now()
	var next, failed, imports, plans, undos, cascades, forced, retries, total atomic.Int64
	var group sync.WaitGroup
	for range workloadWorkers {
		stage := newSimulator(t)
		group.Go(func() {
			for failed.Load() < maxShown {
				n := next.Add(1)
				if *workloadCount > 0 && n > int64(*workloadCount) || *workloadCount == 0 && time.Since(began) > *workloadDuration {
					return
				}
				lived, err := stage.RunWorkload(t.Context(), base+uint64(n), 0)
				if err != nil {
					t.Error(err)
					failed.Add(1)
					continue
				}
				if len(lived.Differences) > 0 {
					t.Error(lived)
					failed.Add(1)
				}
				total.Add(1)
				imports.Add(int64(lived.Imports))
				plans.Add(int64(lived.Plans))
				undos.Add(int64(lived.Undos[undo.Safe]))
				cascades.Add(int64(lived.Undos[undo.Cascade]))
				forced.Add(int64(lived.Undos[undo.Force]))
				retries.Add(int64(lived.Retries))
			}
		})
	}
	group.Wait()
	fmt.Printf("ran %d histories from seed %d: %d imports and undos, %d of them planned, %d retried, %d undone safely, %d in a cascade, %d by force, in %s\n",
		total.Load(), base+1, imports.Load(), plans.Load(), retries.Load(), undos.Load(), cascades.Load(), forced.Load(), time.Since(began).Round(time.Second))
}
