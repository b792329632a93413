package notify_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// noAnswer is the response of a server that accepts connections and says nothing.
func noAnswer() (int, error) { return 0, problem.New(problem.FetchTimeout, "late") }

// TestSilentWebhookIsPaused: after three calls without an answer, deliveries fail without a call
// until the pause is over; an answer ends it.
func TestSilentWebhookIsPaused(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t)
	w.respond = noAnswer
	var last job.EventRef
	for range 6 {
		last, _ = w.completedEvent(t)
		require.NoError(t, w.step.Run(t.Context(), last))
	}
	require.Len(t, w.sent, 3)
	d := w.delivery(t, last)
	require.Equal(t, job.DeliveryPending, d.Status)
	require.Equal(t, "WEBHOOK_PAUSED", d.Error)
	require.Equal(t, 1, d.Attempts, "the delivery ends after a day, as with any other fault")

	endPause := func() { w.Exec(t, `UPDATE webhooks SET paused_until = now()`); w.elapseDelays(t) }
	endPause()
	require.NoError(t, w.step.Run(t.Context(), last))
	require.Len(t, w.sent, 4, "one call tries again")
	require.True(t, postgrestest.Query[bool](t, w.Database, `SELECT paused_until > now() + interval '90 seconds' FROM webhooks`), "the next pause is longer")

	endPause()
	w.respond = func() (int, error) { return 503, nil }
	for range 3 {
		require.NoError(t, w.step.Run(t.Context(), last))
		w.elapseDelays(t)
	}
	require.Len(t, w.sent, 7, "a server that answers is called")
	require.Zero(t, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM stream_slots`), "calls release their slots")
}

// TestRegisteredWebhookIsNotPaused: a corrected address is called at once.
func TestRegisteredWebhookIsNotPaused(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t)
	w.respond = noAnswer
	for range 4 {
		ref, _ := w.completedEvent(t)
		require.NoError(t, w.step.Run(t.Context(), ref))
	}
	w.register(t)
	ref, _ := w.completedEvent(t)
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Len(t, w.sent, 4)
}

// TestOrganisationMakesFewCallsAtATime: a third call waits while two have not ended, and counts as no
// attempt. E-mails do not wait.
func TestOrganisationMakesFewCallsAtATime(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t)
	w.allowDomains(t, "example.org")
	third := w.endedEvent(t, "dry_run = false", job.Completed, "ada@example.org")
	running := 0
	w.respond = func() (int, error) {
		if running++; running == 1 {
			second, _ := w.completedEvent(t)
			require.NoError(t, w.step.Run(t.Context(), second))
		} else if running == 2 {
			require.NoError(t, w.step.Run(t.Context(), third))
			require.Len(t, w.sent, 2)
			require.Equal(t, []string{"ada@example.org"}, w.mailbox.recipients())
		}
		return 200, nil
	}
	first, _ := w.completedEvent(t)
	require.NoError(t, w.step.Run(t.Context(), first))
	require.Equal(t, []job.EventRef{third}, w.postponed)
	require.Zero(t, w.delivery(t, third).Attempts)

	require.NoError(t, w.step.Call(t.Context(), third), "its message is delivered again")
	require.Len(t, w.sent, 3)
	require.Equal(t, job.DeliveryDelivered, w.delivery(t, third).Status)
}
