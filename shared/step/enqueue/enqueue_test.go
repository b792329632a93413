package enqueue_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/step/enqueue"
)

// recorder records the events by organisation.
type recorder struct {
	sent map[tenant.ID][]object.Event
	err  error
}

func (r *recorder) SendObject(_ context.Context, organisation tenant.ID, e object.Event, _ time.Duration) error {
	r.sent[organisation] = append(r.sent[organisation], e)
	return r.err
}

// Each organisation has its own message group; objects of none share one.
func TestEventsAreQueuedByOrganisation(t *testing.T) {
	t.Parallel()
	r := &recorder{sent: make(map[tenant.ID][]object.Event)}
	step := enqueue.New(r, slog.New(slog.DiscardHandler))
	for key, organisation := range map[string]tenant.ID{
		"drop/7/USER/-/users.csv": 7, "uploads/8/00000000-0000-7000-8000-000000000001/source": 8,
		"drop/users.csv": 0, "drop/seven/USER/-/users.csv": 0, "drop/07/USER/-/a.csv": 0, "drop": 0,
	} {
		e := object.Event{Created: object.Created{Key: key, ETag: "e", Size: 3, Sequencer: "1"}, At: time.Unix(1, 0)}
		require.NoError(t, step.Run(t.Context(), e))
		require.Contains(t, r.sent[organisation], e)
	}
	require.Len(t, r.sent[0], 4)
	r.err = errors.New("slow down")
	require.ErrorIs(t, step.Run(t.Context(), object.Event{Created: object.Created{Key: "drop/7/a"}}), r.err, "EventBridge delivers it again")
}
