package blueprint_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/runtime/config"
)

// A function that is terminated while it waits for its connection would find the database awake
// at the next attempt only by chance, and leave its work unfinished.
func TestTimeoutsCoverDatabaseWakeup(t *testing.T) {
	t.Parallel()
	var settings rds.Settings
	require.NoError(t, config.Load(&settings, func(name string) (string, bool) { return "x", name == "DATABASE_URL" }))
	require.Equal(t, blueprint.ConnectTimeout, settings.ConnectTimeout)
	for _, f := range blueprint.New().Functions {
		if f.Database == blueprint.NoDatabase {
			continue
		}
		wait, own := settings.ConnectTimeout, slices.IndexFunc(f.Env, func(e blueprint.Env) bool { return e.Name == "DATABASE_CONNECT_TIMEOUT" })
		if own >= 0 {
			var err error
			wait, err = time.ParseDuration(f.Env[own].Value)
			require.NoError(t, err)
		}
		require.Greater(t, f.Timeout, wait+10*time.Second, f.Name)
		if f.Name == blueprint.OperatorFunction {
			require.GreaterOrEqual(t, wait, 25*time.Second, "the first organisation is created by one command, also while the database sleeps")
			require.Less(t, wait, 29*time.Second, "the gateway waits no longer")
		}
	}
}

// A failed message returns after half a minute, as long as its function may say so, and not at the end
// of a visibility timeout that is six times the function's own: a failover takes less.
func TestFailedMessagesReturnEarly(t *testing.T) {
	t.Parallel()
	b := blueprint.New()
	found := 0
	for _, source := range b.EventSources {
		q, _ := b.Queue(source.Queue)
		if q.Visibility <= 6*time.Minute {
			continue
		}
		f, _ := b.Function(source.Function)
		may := slices.ContainsFunc(f.Grants, func(g blueprint.Grant) bool {
			return g.ResourceName == q.Name && slices.Contains(g.Actions, "sqs:ChangeMessageVisibility")
		})
		require.True(t, may, "%s of %s", f.Name, q.Name)
		found++
	}
	require.GreaterOrEqual(t, found, 5)
}

// A function that commits for an organisation first raises the due item. Reconcile clears it and
// never raises it. Operators raise it by hand.
func TestWritersMayUpdateDueItem(t *testing.T) {
	t.Parallel()
	for _, f := range blueprint.New().Functions {
		raises := slices.ContainsFunc(f.Env, func(e blueprint.Env) bool { return e.Name == "DUE_TABLE" }) && f.Database != blueprint.NoDatabase
		require.Equal(t, f.Database == blueprint.AppRole && !f.Streams, raises, f.Name)
		may := slices.ContainsFunc(f.Grants, func(g blueprint.Grant) bool {
			return g.Resource == blueprint.OnTable && slices.Contains(g.Actions, "dynamodb:UpdateItem")
		})
		require.Equal(t, raises || f.Name == blueprint.ReconcileFunction || f.Name == blueprint.OperatorFunction, may, f.Name)
	}
}
