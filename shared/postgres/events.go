package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// insertEvent inserts the event of a job into the outbox: the only place that does. It
// follows a statement "moved" that returns the job's row with announced set and event_count
// incremented, and has no effect if announced is not set.
const insertEvent = `announcement AS (
			INSERT INTO job_events (job_id, organisation_id, sequence, status,
				total_rows, created_count, updated_count, unchanged_count, skipped_count, error_count, deferred_count)
			SELECT id, organisation_id, event_count, status,
				total_rows, created_count, updated_count, unchanged_count, skipped_count, error_count, deferred_count
			FROM moved
			WHERE announced
		)`

// AddWaitingEvent adds the event of a job to the outbox that was provisionally CELL_MAPPING
// and now waits in that status. Repeated calls have no effect.
func (db *DB) AddWaitingEvent(ctx context.Context, tx pgx.Tx, key job.Key) error {
	_, err := tx.Exec(ctx, `
		WITH moved AS (
			UPDATE import_jobs
			SET announced = true, event_count = event_count + 1
			WHERE id = $1 AND status = 'CELL_MAPPING' AND NOT announced
			RETURNING *
		), `+insertEvent+`
		SELECT`, key)
	if err != nil {
		return fmt.Errorf("add waiting event of job %d: %w", key, err)
	}
	return nil
}

// selectEvents selects events with the constant attributes of their jobs. Later changes of a
// job are not part of an earlier event.
const selectEvents = `
		SELECT e.uuid::text, e.sequence, j.uuid::text, e.organisation_id, j.import_type, e.status, j.dry_run, coalesce(j.undo_of::text, ''),
			CASE WHEN j.status = e.status AND j.completed_at IS NOT NULL THEN coalesce(j.failure_code, '') ELSE '' END,
			e.total_rows, e.created_count, e.updated_count, e.unchanged_count, e.skipped_count, e.error_count, e.deferred_count,
			e.occurred_at, j.created_at,
			CASE WHEN j.started_at <= e.occurred_at THEN j.started_at END,
			CASE WHEN j.status = e.status THEN j.completed_at END,
			CASE WHEN j.status = e.status AND j.completed_at IS NOT NULL THEN j.warnings END
		FROM job_events AS e
		JOIN import_jobs AS j ON j.id = e.job_id `

func events(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]job.Event, error) {
	rows, err := tx.Query(ctx, selectEvents+where, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e job.Event, err error) {
		var warnings []string
		err = row.Scan(&e.EventID, &e.Sequence, &e.JobID, &e.OrganisationID, &e.ImportType, &e.Status, &e.DryRun, &e.UndoOf, &e.FailureCode,
			&e.Counts.Total, &e.Counts.Created, &e.Counts.Updated, &e.Counts.Unchanged, &e.Counts.Skipped, &e.Counts.Errors, &e.Counts.Deferred,
			&e.OccurredAt, &e.CreatedAt, &e.StartedAt, &e.CompletedAt, &warnings)
		e.Counts.Balance()
		e.SetWarnings(warnings)
		return e, err
	})
}

// UnsentEvents returns the unsent events of a job in order.
func (db *DB) UnsentEvents(ctx context.Context, tx pgx.Tx, jobID job.ID) ([]job.Event, error) {
	found, err := events(ctx, tx, `
		WHERE j.uuid = $1 AND e.sent_at IS NULL
		ORDER BY e.sequence`, jobID)
	if err != nil {
		return nil, fmt.Errorf("load unsent events of job %s: %w", jobID, err)
	}
	return found, nil
}

// OverdueEvents returns unsent events of all organisations that are older than age, ordered
// by time. Only the database clock counts.
func (db *DB) OverdueEvents(ctx context.Context, tx pgx.Tx, age time.Duration, limit int) ([]job.Event, error) {
	found, err := events(ctx, tx, `
		WHERE e.sent_at IS NULL AND e.occurred_at < now() - make_interval(secs => $1)
		ORDER BY e.id
		LIMIT $2`, age.Seconds(), limit)
	if err != nil {
		return nil, fmt.Errorf("load overdue events: %w", err)
	}
	return found, nil
}

// EventFilter narrows a list of events; zero values match all.
type EventFilter struct {
	Occurred Period
	job.Page
}

func eventOrder() listOrder {
	return listOrder{timeKey("e.occurred_at").desc(), uuidKey("e.uuid")}
}

// EventCursor returns the keys of an event in the list.
func EventCursor(e *job.Event) []string {
	return []string{timeCursor(e.OccurredAt), string(e.EventID)}
}

// Events lists the events of an organisation, newest first, and their total number.
func (db *DB) Events(ctx context.Context, tx pgx.Tx, organisation tenant.ID, f EventFilter) ([]job.Event, int64, error) {
	c := &conditions{}
	c.add(`e.organisation_id = $%d`, organisation)
	c.inPeriod(`e.occurred_at`, f.Occurred)
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM job_events AS e `+c.where(), c.args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count events: %w", err)
	}
	if err := c.addAfter(eventOrder(), f.After); err != nil {
		return nil, 0, err
	}
	found, err := events(ctx, tx, c.where()+eventOrder().clause()+c.page(f.Page), c.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list events: %w", err)
	}
	return found, total, nil
}

// MarkEventsSent marks events as sent.
func (db *DB) MarkEventsSent(ctx context.Context, tx pgx.Tx, ids []job.EventID) error {
	if _, err := tx.Exec(ctx, `UPDATE job_events SET sent_at = now() WHERE uuid = ANY ($1::uuid[]) AND sent_at IS NULL`, ids); err != nil {
		return fmt.Errorf("mark %d events as sent: %w", len(ids), err)
	}
	return nil
}
