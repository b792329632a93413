package notify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/dbproxy"
	"github.com/loadbay/loadbay/shared/dbproxy/dbproxytest"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/notify"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// harness holds a database, and a server that receives the messages and responds with answer.
type harness struct {
	*postgrestest.Database
	step    *notify.Step
	requeue *notify.Requeue
	log     bytes.Buffer
	metrics bytes.Buffer
	respond func() (int, error)
	sent    []webhook.Message
	mailbox mailbox
	results results
	queued  []job.EventRef
	queue   error
	// postponed are the events whose calls wait for a slot; other calls are made when they are queued.
	postponed []job.EventRef
	openErr   error // returned when a secret is decrypted
}

func setup(t *testing.T) *harness {
	t.Helper()
	w := &harness{Database: postgrestest.Setup(t), respond: func() (int, error) { return 204, nil }}
	w.step = notify.New(dbproxy.NewClient(dbproxytest.Function{Step: dbproxy.New(nil, notify.NewStoreBackend(w.DB, &w.results))}), w, w, w, &w.mailbox, telemetry.NewMetrics(&w.metrics), telemetry.NewLogger(&w.log, slog.LevelDebug))
	w.requeue = notify.NewRequeue(w.Maintenance, w)
	return w
}

func (w *harness) Send(_ context.Context, m webhook.Message) (int, error) {
	w.sent = append(w.sent, m)
	return w.respond()
}

// Open decrypts secrets sealed by seal.
func (w *harness) Open(_ context.Context, organisation tenant.ID, sealed job.SealedSecret) (string, error) {
	if w.openErr != nil {
		return "", w.openErr
	}
	secret, ok := strings.CutPrefix(string(sealed), "sealed for "+organisation.String()+" ")
	if !ok {
		return "", errors.New("not sealed")
	}
	return secret, nil
}

func sealedSecret(organisation tenant.ID, secret string) job.SealedSecret {
	return job.SealedSecret("sealed for " + organisation.String() + " " + secret)
}

func (w *harness) SendCall(ctx context.Context, ref job.EventRef, delay time.Duration) error {
	if delay > 0 {
		w.postponed = append(w.postponed, ref)
		return nil
	}
	return w.step.Call(ctx, ref)
}

func (w *harness) SendEvent(_ context.Context, ref job.EventRef) error {
	w.queued = append(w.queued, ref)
	return w.queue
}

const address = "https://hooks.example/?token=secret"

func (w *harness) register(t *testing.T) {
	t.Helper()
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, err := w.DB.RegisterWebhook(t.Context(), tx, 1, address, sealedSecret(1, webhook.NewSecret()))
		return err
	}))
}

// completedEvent returns the event of an import that has completed.
func (w *harness) completedEvent(t *testing.T) (ref job.EventRef, j *job.Job) {
	t.Helper()
	j = w.AddJob(t, "status = 'PROCESSING', total_rows = 3, created_count = 3")
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, _, err := w.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: job.Completed})
		return err
	}))
	return job.EventRef{EventID: postgrestest.Query[job.EventID](t, w.Database, `SELECT uuid::text FROM job_events WHERE job_id = $1`, j.Key), OrganisationID: 1}, j
}

func (w *harness) delivery(t *testing.T, ref job.EventRef) (d *job.Delivery) {
	t.Helper()
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) (err error) {
		d, err = w.DB.Delivery(t.Context(), tx, ref.EventID)
		return err
	}))
	return d
}

// elapseDelays ends the delay of every delivery.
func (w *harness) elapseDelays(t *testing.T) {
	t.Helper()
	w.Exec(t, `UPDATE webhook_deliveries SET next_attempt_at = now()`)
}

func TestWebhookIsDeliveredOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t)
	ref, j := w.completedEvent(t)
	for range 3 {
		require.NoError(t, w.step.Run(t.Context(), ref), "repeated messages deliver once")
	}
	require.Len(t, w.sent, 1)
	m := w.sent[0]
	require.Equal(t, address, m.URL)
	require.EqualValues(t, ref.EventID, m.ID)
	require.Len(t, m.Secrets, 1)
	var body struct {
		Type      string
		Timestamp time.Time
		Data      job.Event
	}
	d := json.NewDecoder(bytes.NewReader([]byte(m.Body)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&body))
	require.Equal(t, "import.completed", body.Type)
	require.Equal(t, j.ID, body.Data.JobID)
	require.Equal(t, job.EventCounts{Total: 3, Created: 3}, body.Data.Counts)
	require.True(t, body.Timestamp.Equal(body.Data.OccurredAt))
	delivered := w.delivery(t, ref)
	require.Equal(t, job.DeliveryDelivered, delivered.Status)
	require.Equal(t, 204, delivered.HTTPStatus)
	require.Equal(t, 1, delivered.Attempts)
	require.NotNil(t, delivered.EndedAt)
	require.NotContains(t, w.log.String(), "secret")
	require.Contains(t, w.metrics.String(), `"result":"DELIVERED"`)
}

func TestNoDeliveryWithoutWebhook(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ref, _ := w.completedEvent(t)
	require.NoError(t, w.step.Run(t.Context(), ref))
	w.register(t)
	require.NoError(t, w.step.Run(t.Context(), job.EventRef{EventID: job.EventID(uuid.NewString()), OrganisationID: 1}), "the event was deleted with its job")
	require.NoError(t, w.step.Run(t.Context(), job.EventRef{EventID: ref.EventID, OrganisationID: 2}), "an event of another organisation is ignored")
	require.Empty(t, w.sent)
}

// The delays are those documented in docs/events.md.
func TestDeliveryIsRetriedForADay(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t)
	ref, _ := w.completedEvent(t)
	w.respond = func() (int, error) { return 503, nil }
	var total time.Duration
	for attempt, pause := range []time.Duration{
		30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour,
	} {
		require.NoError(t, w.step.Run(t.Context(), ref))
		d := w.delivery(t, ref)
		require.Equal(t, job.DeliveryPending, d.Status)
		require.Equal(t, attempt+1, d.Attempts)
		require.Equal(t, 503, d.HTTPStatus)
		require.Equal(t, "HTTP_STATUS", d.Error)
		require.InDelta(t, pause.Seconds(), postgrestest.Query[float64](t, w.Database,
			`SELECT extract(epoch FROM next_attempt_at - now())::float8 FROM webhook_deliveries`), 20)
		require.NoError(t, w.step.Run(t.Context(), ref), "an early message does not send the delivery")
		require.Len(t, w.sent, attempt+1)
		w.elapseDelays(t)
		total += pause
	}
	require.InDelta(t, 24, total.Hours(), 1)
	require.NoError(t, w.step.Run(t.Context(), ref))
	d := w.delivery(t, ref)
	require.Equal(t, job.DeliveryFailed, d.Status)
	require.Equal(t, 10, d.Attempts)
	w.elapseDelays(t)
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Len(t, w.sent, 10)
	for _, m := range w.sent[1:] {
		require.Equal(t, w.sent[0], m, "every attempt sends the same request")
	}
}

func TestDeliveryErrors(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t)
	for fault, err := range map[string]error{
		"FETCH_TIMEOUT": problem.New(problem.FetchTimeout, "late"),
		"URL_FORBIDDEN": problem.New(problem.URLForbidden, "private"),
		"INTERNAL":      errors.New("broken"),
	} {
		ref, _ := w.completedEvent(t)
		w.respond = func() (int, error) { return 0, err }
		require.NoError(t, w.step.Run(t.Context(), ref))
		d := w.delivery(t, ref)
		require.Equal(t, job.DeliveryPending, d.Status)
		require.Equal(t, fault, d.Error)
		require.Zero(t, d.HTTPStatus)
	}
	ref, _ := w.completedEvent(t)
	for _, status := range []int{301, 404, 429} {
		w.respond = func() (int, error) { return status, nil }
		require.NoError(t, w.step.Run(t.Context(), ref))
		require.Equal(t, job.DeliveryPending, w.delivery(t, ref).Status, status)
		w.elapseDelays(t)
	}
	w.respond = func() (int, error) { return 200, nil }
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Equal(t, job.DeliveryDelivered, w.delivery(t, ref).Status)
	require.Empty(t, w.delivery(t, ref).Error)
}

func TestGoneWebhookIsDisabled(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t)
	pending, _ := w.completedEvent(t)
	w.respond = func() (int, error) { return 500, nil }
	require.NoError(t, w.step.Run(t.Context(), pending))
	w.elapseDelays(t)
	ref, _ := w.completedEvent(t)
	w.respond = func() (int, error) { return 410, nil }
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Equal(t, job.DeliveryFailed, w.delivery(t, ref).Status)
	require.Equal(t, 1, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM webhooks WHERE disabled_at IS NOT NULL`))
	later, _ := w.completedEvent(t)
	require.NoError(t, w.step.Run(t.Context(), later))
	require.NoError(t, w.step.Run(t.Context(), pending))
	require.Len(t, w.sent, 2)
	require.Equal(t, job.DeliveryFailed, w.delivery(t, pending).Status)
	require.Equal(t, "WEBHOOK_GONE", w.delivery(t, pending).Error)

	w.register(t)
	w.respond = func() (int, error) { return 200, nil }
	require.NoError(t, w.step.Run(t.Context(), later))
	require.Equal(t, job.DeliveryDelivered, w.delivery(t, later).Status)
}

// The webhook is registered again while the old address responds with 410 Gone.
func TestChangedWebhookIsNotDisabled(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t)
	ref, _ := w.completedEvent(t)
	w.respond = func() (int, error) { w.register(t); return 410, nil }
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Zero(t, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM webhooks WHERE disabled_at IS NOT NULL`))
}

func TestDueDeliveriesAreQueuedOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t)
	due, _ := w.completedEvent(t)
	early, _ := w.completedEvent(t)
	done, _ := w.completedEvent(t)
	for ref, status := range map[job.EventRef]int{due: 500, early: 500, done: 200} {
		w.respond = func() (int, error) { return status, nil }
		require.NoError(t, w.step.Run(t.Context(), ref))
	}
	require.NoError(t, w.requeue.Run(t.Context()))
	require.Empty(t, w.queued)
	w.Exec(t, `UPDATE webhook_deliveries SET next_attempt_at = now() WHERE event_id <> $1`, early.EventID)
	require.NoError(t, w.requeue.Run(t.Context()))
	require.NoError(t, w.requeue.Run(t.Context()), "a queued delivery is not queued again")
	require.Equal(t, []job.EventRef{due}, w.queued)
	w.Exec(t, `UPDATE webhook_deliveries SET queued_at = now() - interval '16 minutes' WHERE queued_at IS NOT NULL`)
	w.queue = errors.New("SQS is away")
	require.ErrorContains(t, w.requeue.Run(t.Context()), "SQS is away")
	require.Equal(t, []job.EventRef{due, due}, w.queued, "a delivery whose message is lost is queued again")
	w.respond = func() (int, error) { return 500, nil }
	require.NoError(t, w.step.Run(t.Context(), due))
	w.elapseDelays(t)
	w.queue, w.queued = nil, nil
	require.NoError(t, w.requeue.Run(t.Context()))
	require.ElementsMatch(t, []job.EventRef{due, early}, w.queued)
	w.Exec(t, `DELETE FROM import_jobs`)
	require.Zero(t, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM webhook_deliveries`), "deliveries are deleted with their jobs")
}

// Without the keys nothing is sent unsigned; the message waits as after a refused attempt.
func TestUnreadableSecretDelaysDelivery(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t)
	ref, _ := w.completedEvent(t)
	w.openErr = errors.New("Secrets Manager is away")
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Empty(t, w.sent)
	d := w.delivery(t, ref)
	require.Equal(t, job.DeliveryPending, d.Status)
	require.Equal(t, "INTERNAL", d.Error)
	require.Contains(t, w.log.String(), "Secrets Manager is away")

	w.openErr = nil
	w.elapseDelays(t)
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Len(t, w.sent, 1)
	require.Regexp(t, `^whsec_`, w.sent[0].Secrets[0], "opened")
}
