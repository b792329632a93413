// Package outbox publishes the events of the outbox. An event is added to the outbox in the
// transaction of the transition; the committing process publishes it immediately, and
// reconcile publishes the remaining ones. So an event is published at least once, mostly
// exactly once, under an id that stays the same.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Store stores events until they are published.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	UnsentEvents(ctx context.Context, tx pgx.Tx, jobID job.ID) ([]job.Event, error)
	OverdueEvents(ctx context.Context, tx pgx.Tx, age time.Duration, limit int) ([]job.Event, error)
	MarkEventsSent(ctx context.Context, tx pgx.Tx, ids []job.EventID) error
}

// Bus accepts events. It returns the ids of the accepted ones, even if it also returns an
// error.
type Bus interface {
	Publish(ctx context.Context, events []job.Event) (taken []job.EventID, err error)
}

// Publisher publishes events.
type Publisher struct {
	store    Store
	bus      Bus
	recorder job.Recorder
	log      *slog.Logger
}

// New returns a publisher; recorder counts the transitions.
func New(store Store, bus Bus, recorder job.Recorder, log *slog.Logger) *Publisher {
	return &Publisher{store: store, bus: bus, recorder: recorder, log: log}
}

// Record records a committed transition and publishes its event.
func (a *Publisher) Record(ctx context.Context, j *job.Job, from, to job.Status) {
	a.recorder.Record(ctx, j, from, to)
	if to.PublishesEvent() {
		a.PublishJob(ctx, job.Ref{JobID: j.ID, OrganisationID: j.OrganisationID})
	}
}

// publishTimeout is how long publishing may delay the caller that committed a transition.
const publishTimeout = 3 * time.Second

// PublishJob publishes the events of a job that are in the outbox. If that fails,
// reconcile does it later, and the caller does not fail.
func (a *Publisher) PublishJob(ctx context.Context, ref job.Ref) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer done()
	inTx := func(f func(pgx.Tx) error) error { return a.store.InOrganisation(ctx, ref.OrganisationID, f) }
	_, err := a.publish(ctx, inTx, func(tx pgx.Tx) ([]job.Event, error) { return a.store.UnsentEvents(ctx, tx, ref.JobID) })
	if err != nil {
		a.log.WarnContext(ctx, "publish events; reconcile will retry", "job_id", ref.JobID, "error", err)
	}
}

// overdueAge leaves enough time for immediate publishing; overdueLimit limits one run.
const (
	overdueAge   = 2 * publishTimeout
	overdueLimit = 200
)

// PublishOverdue publishes the events of all organisations that were not published
// immediately, the oldest first.
func (a *Publisher) PublishOverdue(ctx context.Context) error {
	inTx := func(f func(pgx.Tx) error) error { return a.store.AcrossOrganisations(ctx, f) }
	n, err := a.publish(ctx, inTx, func(tx pgx.Tx) ([]job.Event, error) { return a.store.OverdueEvents(ctx, tx, overdueAge, overdueLimit) })
	if n > 0 {
		a.log.InfoContext(ctx, "overdue events published", "events", n)
	}
	if err != nil {
		return fmt.Errorf("overdue events: %w", err)
	}
	return nil
}

// publish publishes the events that find returns, and returns the number that the bus
// accepted. They are marked as sent last: if the process dies before that, they are sent
// again.
func (a *Publisher) publish(ctx context.Context, inTx func(func(pgx.Tx) error) error, find func(pgx.Tx) ([]job.Event, error)) (int, error) {
	var events []job.Event
	err := inTx(func(tx pgx.Tx) (err error) {
		events, err = find(tx)
		return err
	})
	if err != nil || len(events) == 0 {
		return 0, err
	}
	taken, err := a.bus.Publish(ctx, events)
	if len(taken) > 0 {
		err = errors.Join(err, inTx(func(tx pgx.Tx) error { return a.store.MarkEventsSent(ctx, tx, taken) }))
	}
	return len(taken), err
}
