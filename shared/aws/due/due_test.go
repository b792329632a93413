package due_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb"
	"github.com/loadbay/loadbay/shared/aws/due"
)

// newItem returns the item of a new table.
func newItem(t *testing.T) *due.Item {
	t.Helper()
	db, err := awsendpoint.OpenDatabase(filepath.Join(t.TempDir(), "aws.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	service, err := local.New(db, []blueprint.Table{{Name: "table", PartitionKey: "pk", SortKey: "sk", TTLAttr: "expires_at"}})
	require.NoError(t, err)
	t.Cleanup(service.Close)
	handler, err := awsendpoint.Handler(awsendpoint.Config{Services: []awsjson.Service{service}})
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return due.New(dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("local", "locallocal", ""),
	}), "table")
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func isDue(t *testing.T, i *checker, now time.Time) bool {
	t.Helper()
	is, err := i.Due(t.Context(), now)
	require.NoError(t, err)
	return is
}

// checker simulates reconcile, called every 20 seconds here.
type checker struct {
	*due.Item
	now time.Time
}

// check records a check after which the next one is due at next.
func (l *checker) check(t *testing.T, next time.Time) {
	t.Helper()
	l.now = l.now.Add(20 * time.Second)
	raises, err := l.RaiseCount(t.Context())
	require.NoError(t, err)
	require.NoError(t, l.RecordCheck(t.Context(), raises, l.now, next))
}

// Raised work may be committed later, so a single check without result does not settle it.
func TestRaisedItemIsDueForThreeChecks(t *testing.T) {
	t.Parallel()
	i := &checker{newItem(t), noon}
	for range 2 { // the first time without any earlier raise
		for range 3 {
			require.True(t, isDue(t, i, noon))
			i.check(t, time.Time{})
		}
		require.False(t, isDue(t, i, noon))
		require.False(t, isDue(t, i, noon.AddDate(1, 0, 0)))
		require.NoError(t, i.Raise(t.Context()))
	}
	require.True(t, isDue(t, i, noon))
}

// A check that began before the raise does not settle it.
func TestRaiseDuringCheckStaysDue(t *testing.T) {
	t.Parallel()
	i := &checker{newItem(t), noon}
	for _, raisedBefore := range []bool{false, true} {
		if raisedBefore {
			require.NoError(t, i.Raise(t.Context()))
		}
		for range 2 {
			i.check(t, time.Time{})
		}
		raises, err := i.RaiseCount(t.Context())
		require.NoError(t, err)
		require.NoError(t, i.Raise(t.Context()))
		require.NoError(t, i.RecordCheck(t.Context(), raises, i.now.Add(time.Minute), time.Time{}))
		require.True(t, isDue(t, i, noon))
		for range 2 {
			i.check(t, time.Time{})
		}
		require.True(t, isDue(t, i, noon))
	}
}

// Checks in quick succession, for example by hand, count only once.
func TestCloseChecksCountOnce(t *testing.T) {
	t.Parallel()
	i := &checker{newItem(t), noon}
	for range 8 {
		i.check(t, time.Time{})
		i.now = i.now.Add(-15 * time.Second)
	}
	require.True(t, isDue(t, i, noon), "eight checks within 35 seconds count as two, so the item is still due")
	i.check(t, time.Time{})
	require.False(t, isDue(t, i, noon))
}

func TestScheduledWorkIsDueAtItsTime(t *testing.T) {
	t.Parallel()
	i := &checker{newItem(t), noon}
	for range 3 {
		i.check(t, noon)
	}
	require.False(t, isDue(t, i, noon.Add(-time.Second)))
	require.True(t, isDue(t, i, noon))
	i.check(t, time.Time{})
	require.False(t, isDue(t, i, noon))
}

func TestAnnouncerRaisesOncePerInterval(t *testing.T) {
	t.Parallel()
	now, raised := noon, 0
	var broken error
	a := due.NewAnnouncerWithClock(func(context.Context) error { raised++; return broken }, func() time.Time { return now })
	announce := func() error { return a.Announce(t.Context()) }
	broken = errors.New("away")
	require.ErrorIs(t, announce(), broken, "a failed announcement prevents the commit")
	broken = nil
	require.NoError(t, announce())
	now = now.Add(29 * time.Second)
	require.NoError(t, announce())
	require.Equal(t, 2, raised)
	now = now.Add(time.Second)
	require.NoError(t, announce())
	require.Equal(t, 3, raised)
	now = now.Add(-time.Hour) // the clock was changed
	require.NoError(t, announce())
	require.Equal(t, 4, raised)
}
