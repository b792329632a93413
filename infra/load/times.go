package load

import (
	"context"
	"slices"
	"time"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// Times are durations of the same operation, in any order.
type Times []time.Duration

// Percentile returns the duration that the given share of them (0 to 1) does not exceed; 0 if
// there are none.
func (t Times) Percentile(share float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// probeEvery is the pause between two polls, like that of a dashboard.
const probeEvery = 20 * time.Millisecond

// probeStatus polls the status of a job and records the latencies until stop is called.
func probeStatus(ctx context.Context, api *rawclient.Client, id string, times *Times) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() {
		tick := time.NewTicker(probeEvery)
		defer tick.Stop()
		for {
			begun := time.Now()
			if _, err := api.Job(ctx, id); err != nil && ctx.Err() == nil {
				failed <- err
				return
			}
			if ctx.Err() == nil {
				*times = append(*times, time.Since(begun))
			}
			select {
			case <-ctx.Done():
				failed <- nil
				return
			case <-tick.C:
			}
		}
	}()
	return func() error {
		cancel()
		return <-failed
	}
}
