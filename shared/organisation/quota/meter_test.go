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

// fakeGranter returns prepared grants in order.
type fakeGranter struct {
	portions []int64
	calls    int
	fail     error
}

func (g *fakeGranter) GrantRequests(_ context.Context, _ tenant.ID, most int64) (quota.Grant, error) {
	if g.fail != nil {
		return quota.Grant{}, g.fail
	}
	g.calls++
	return quota.Grant{Requests: g.portions[g.calls-1], Limit: most, Ends: time.Minute}, nil
}

func allow(t *testing.T, m *quota.Meter, organisation tenant.ID) error {
	t.Helper()
	_, err := m.Count(t.Context(), organisation)
	return err
}

// The rest of a portion is what an organisation can rely on.
func TestRateOfPortion(t *testing.T) {
	t.Parallel()
	m := quota.NewMeter(&fakeGranter{portions: []int64{3}}, 5)
	rate, err := m.Count(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, int64(5), rate.Limit)
	require.Equal(t, int64(2), rate.Left)
	require.InDelta(t, time.Minute.Seconds(), rate.Ends.Seconds(), 1)
}

func TestPortionIsUsedBeforeNextGrant(t *testing.T) {
	t.Parallel()
	g := &fakeGranter{portions: []int64{3, 2, 0}}
	m := quota.NewMeter(g, 5)
	for range 5 {
		require.NoError(t, allow(t, m, 1))
	}
	require.Equal(t, 2, g.calls)
	for range 100 {
		require.Equal(t, problem.QuotaRequests, problem.CodeOf(allow(t, m, 1)))
	}
	require.Equal(t, 3, g.calls, "refused requests ask for no further portions")
}

func TestNextMinuteHasNewGrant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &fakeGranter{portions: []int64{0, 1, 5}}
		m := quota.NewMeter(g, 5)
		<-time.After(20 * time.Second)
		err := problem.From(allow(t, m, 1))
		require.Equal(t, time.Minute, err.RetryAfter)
		<-time.After(59 * time.Second)
		require.Equal(t, time.Second, problem.From(allow(t, m, 1)).RetryAfter)
		<-time.After(time.Second)
		require.NoError(t, allow(t, m, 1))
		<-time.After(time.Minute)
		require.NoError(t, allow(t, m, 1))
		require.Equal(t, 3, g.calls)
	})
}

func TestOrganisationsAreCountedSeparately(t *testing.T) {
	t.Parallel()
	g := &fakeGranter{portions: []int64{0, 1}}
	m := quota.NewMeter(g, 5)
	require.Error(t, allow(t, m, 1))
	require.NoError(t, allow(t, m, 2))
}

func TestAllowFailsWhenGrantFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("out of order")
	require.ErrorIs(t, allow(t, quota.NewMeter(&fakeGranter{fail: broken}, 5), 1), broken)
}

func TestLimitsMustBePositive(t *testing.T) {
	t.Parallel()
	for _, l := range []quota.Limits{{}, {OpenImports: 1, AnnouncedBytes: 1, OpenExports: 1, Streams: 1}, {OpenImports: -1, AnnouncedBytes: 1, OpenExports: 1, Streams: 1, RequestsPerMinute: 1}} {
		require.Error(t, l.Validate())
	}
}
