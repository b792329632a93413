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

	"github.com/loadbay/loadbay/shared/testing/simulation"
	"github.com/loadbay/loadbay/shared/testing/simulation/sequence"
)

var (
	sequenceCount    = flag.Int("sequences", 0, "the number of random sequences of each kind; 0 for as many as fit into -sequence-time")
	sequenceSeed     = flag.Uint64("sequence", 0, "run only the sequence with this seed, of the kind -kind")
	sequenceKind     = flag.String("kind", "", "run only sequences of this kind")
	sequenceDuration = flag.Duration("sequence-time", 8*time.Second, "the time limit if -sequences is not given; at most 3 s with -short")
)

// TestRandomSequences runs sequences of each kind (corrected result lists, rosters with changing
// columns, faulty files), with seeds from a different base in every run.
func TestRandomSequences(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		*sequenceDuration = min(*sequenceDuration, 3*time.Second)
	}
	for _, kind := range append([]string{simulation.RepeatedUploads}, sequence.Kinds...) {
		if *sequenceKind != "" && *sequenceKind != kind {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			runSequences(t, kind)
		})
	}
}

// sequenceWorkers is the number of sequences of a kind that run concurrently.
const sequenceWorkers = 2

func runSequences(t *testing.T, kind string) {
	t.Helper()
	if *sequenceSeed != 0 {
		ran, err := newSimulator(t).RunSequence(t.Context(), kind, *sequenceSeed)
		require.NoError(t, err)
		t.Log(ran)
		require.Empty(t, ran.Differences)
		return
	}
	base, began := rand.Uint64()>>16, time.Now()
	var next, failed, total, imports, undos, first atomic.Int64
	var group sync.WaitGroup
	for range sequenceWorkers {
		stage := newSimulator(t)
		group.Go(func() {
			for failed.Load() < maxShown {
				n := next.Add(1)
				if *sequenceCount > 0 && n > int64(*sequenceCount) || *sequenceCount == 0 && time.Since(began) > *sequenceDuration {
					return
				}
				ran, err := stage.RunSequence(t.Context(), kind, base+uint64(n))
				if err != nil {
					t.Error(err)
					failed.Add(1)
					continue
				}
				total.Add(1)
				imports.Add(int64(ran.Imports))
				undos.Add(int64(ran.Undos))
				if len(ran.Differences) > 0 {
					first.CompareAndSwap(0, total.Load())
					t.Error(ran)
					failed.Add(1)
				}
			}
		})
	}
	group.Wait()
	found := ""
	if first.Load() > 0 {
		found = fmt.Sprintf(", the first difference in number %d", first.Load())
	}
	fmt.Printf("ran %d sequences of %s from seed %d: %d imports, %d undos in %s%s\n", total.Load(), kind, base+1, imports.Load(), undos.Load(), time.Since(began).Round(time.Second), found)
}
