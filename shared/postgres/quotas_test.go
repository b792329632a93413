package postgres_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// With any number of concurrent instances, the requests granted in a minute equal the quota.
func TestRequestPortionsNeverExceedQuota(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	const most, instances = 50, 8
	minute := func() string { return postgrestest.Query[string](t, d, `SELECT date_trunc('minute', now())::text`) }
	began := minute()
	var given atomic.Int64
	var all sync.WaitGroup
	for range instances {
		all.Go(func() {
			for {
				g, err := d.DB.GrantRequests(t.Context(), 1, most)
				if err != nil || g.Requests == 0 {
					return
				}
				given.Add(g.Requests)
			}
		})
	}
	all.Wait()
	if minute() == began {
		require.Equal(t, int64(most), given.Load())
	}
	require.GreaterOrEqual(t, given.Load(), int64(most))
	require.LessOrEqual(t, given.Load(), int64(2*most), "at most the quotas of two minutes")

	g, err := d.DB.GrantRequests(t.Context(), 2, most)
	require.NoError(t, err)
	require.Equal(t, int64(3), g.Requests, "a portion is a twentieth, rounded up")
	require.Positive(t, g.Ends)
}
