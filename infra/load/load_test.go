package load_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/load"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// A shorter version of `make load`.
func TestSmallImportsDoNotWaitForLarge(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	s := stacktest.Start(t)
	result, err := load.Measure(ctx, load.Target{API: "http://" + s.API, Database: s.DatabaseURL(t)},
		load.Config{Tenants: 5, Files: 1, Rows: 400_000})
	require.NoError(t, err)
	require.NoError(t, result.CheckFairness())
	require.Len(t, result.Concurrent, 5)
	require.NotEmpty(t, result.StatusConcurrent)
}

func TestTimesPercentile(t *testing.T) {
	t.Parallel()
	times := load.Times{}
	require.Zero(t, times.Percentile(0.5))
	for i := 100; i >= 1; i-- {
		times = append(times, time.Duration(i))
	}
	for share, want := range map[float64]time.Duration{0: 1, 0.5: 51, 0.99: 100, 1: 100} {
		require.Equal(t, want, times.Percentile(share), "%v", share)
	}
}
