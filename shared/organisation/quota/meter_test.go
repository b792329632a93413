package quota_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
)

// grants are what the database gives out, in turn.
type grants struct {
	portions []int64
	asked    int
	fail     error
}

func (g *grants) GrantRequests(_ context.Context, _ tenant.ID, most int64) (quota.Grant, error) {
	if g.fail != nil {
		return quota.Grant{}, g.fail
	}
	g.asked++
	return quota.Grant{Requests: g.portions[g.asked-1], Limit: most, Ends: time.Minute}, nil
}

func TestAPortionIsSpentBeforeAnotherIsAskedFor(t *testing.T) {
	t.Parallel()
	g := &grants{portions: []int64{3, 2, 0}}
	m := quota.NewMeter(g, 5)
	for range 5 {
		require.NoError(t, m.Take(t.Context(), 1))
	}
	require.Equal(t, 2, g.asked)
	for range 100 {
		require.Equal(t, problem.QuotaRequests, problem.CodeOf(m.Take(t.Context(), 1)))
	}
	require.Equal(t, 3, g.asked, "what is refused costs nothing")
}

func TestTheNextMinuteHasAPortionOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &grants{portions: []int64{0, 1, 5}}
		m := quota.NewMeter(g, 5)
		<-time.After(20 * time.Second)
		err := problem.Of(m.Take(t.Context(), 1))
		require.Equal(t, time.Minute, err.RetryAfter)
		<-time.After(59 * time.Second)
		require.Equal(t, time.Second, problem.Of(m.Take(t.Context(), 1)).RetryAfter)
		<-time.After(time.Second)
		require.NoError(t, m.Take(t.Context(), 1))
		<-time.After(time.Minute)
		require.NoError(t, m.Take(t.Context(), 1))
		require.Equal(t, 3, g.asked)
	})
}

func TestOrganisationsAreCountedApart(t *testing.T) {
	t.Parallel()
	g := &grants{portions: []int64{0, 1}}
	m := quota.NewMeter(g, 5)
	require.Error(t, m.Take(t.Context(), 1))
	require.NoError(t, m.Take(t.Context(), 2))
}

func TestWhatCannotBeCountedIsNotServed(t *testing.T) {
	t.Parallel()
	broken := errors.New("out of order")
	require.ErrorIs(t, quota.NewMeter(&grants{fail: broken}, 5).Take(t.Context(), 1), broken)
}

func TestQuotasOfNothingAreRefused(t *testing.T) {
	t.Parallel()
	for _, l := range []quota.Limits{{}, {OpenImports: 1, AnnouncedBytes: 1, OpenExports: 1, Streams: 1}, {OpenImports: -1, AnnouncedBytes: 1, OpenExports: 1, Streams: 1, RequestsPerMinute: 1}} {
		require.Error(t, l.Validate())
	}
}
