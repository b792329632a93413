package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Event returns an event, or NOT_FOUND, also if it was deleted with its job.
func (*DB) Event(ctx context.Context, tx pgx.Tx, id job.EventID) (*job.Event, error) {
	found, err := events(ctx, tx, `WHERE e.uuid = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("read event %s: %w", id, err)
	}
	if len(found) == 0 {
		return nil, problem.New(problem.NotFound, "No event with this ID exists.")
	}
	return &found[0], nil
}

// AddDelivery adds the delivery of an event to the organisation's webhook, for which a
// message has already been queued. An existing delivery is unchanged.
func (*DB) AddDelivery(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *job.Delivery) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO webhook_deliveries (event_id, organisation_id, job_id, event_type, body, queued_at)
		VALUES ($1, $2, (SELECT id FROM import_jobs WHERE uuid = nullif($3, '')::uuid), $4, $5, now())
		ON CONFLICT (event_id) DO NOTHING`, d.EventID, organisation, d.JobID, d.EventType, d.Body)
	if err != nil {
		return fmt.Errorf("add delivery of event %s: %w", d.EventID, err)
	}
	return nil
}

// AddExportDelivery adds the delivery for the end of an export if the organisation has a
// webhook. It is due immediately: reconcile queues it. With blind, for roles that cannot
// read webhooks, it is always added.
func (*DB) AddExportDelivery(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *job.Delivery, blind bool) error {
	listens := `EXISTS (SELECT FROM webhooks WHERE organisation_id = $2 AND disabled_at IS NULL)`
	if blind {
		listens = `true`
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO webhook_deliveries (event_id, organisation_id, export_id, event_type, body)
		SELECT $1, $2, $3, $4, $5
		WHERE `+listens, d.EventID, organisation, d.ExportID, d.EventType, d.Body)
	if err != nil {
		return fmt.Errorf("add delivery of export %s: %w", d.ExportID, err)
	}
	return nil
}

// Redeliver restarts a delivery that has ended, from the first attempt; ok is false if one is
// in progress.
func (*DB) Redeliver(ctx context.Context, tx pgx.Tx, eventID job.EventID) (ok bool, err error) {
	return anyAffected(tx.Exec(ctx, `
		UPDATE webhook_deliveries
		SET status = 'PENDING', attempts = 0, http_status = NULL, fault = NULL, next_attempt_at = now(), queued_at = now(), ended_at = NULL
		WHERE event_id = $1 AND status <> 'PENDING'`, eventID))
}

const selectDeliveries = `
		SELECT d.event_id::text, coalesce(j.uuid::text, ''), coalesce(d.export_id::text, ''), d.event_type, d.body, d.status, d.attempts, d.next_attempt_at <= now(),
			coalesce(d.http_status, 0), coalesce(d.fault, ''), d.created_at, d.next_attempt_at, d.ended_at
		FROM webhook_deliveries AS d
		LEFT JOIN import_jobs AS j ON j.id = d.job_id `

func scanDelivery(row pgx.CollectableRow) (d job.Delivery, err error) {
	err = row.Scan(&d.EventID, &d.JobID, &d.ExportID, &d.EventType, &d.Body, &d.Status, &d.Attempts, &d.AttemptDue,
		&d.HTTPStatus, &d.Error, &d.CreatedAt, &d.NextAttemptAt, &d.EndedAt)
	return d, err
}

// Delivery returns the delivery of an event, or NOT_FOUND.
func (*DB) Delivery(ctx context.Context, tx pgx.Tx, eventID job.EventID) (*job.Delivery, error) {
	rows, err := tx.Query(ctx, selectDeliveries+`WHERE d.event_id = $1`, eventID)
	if err != nil {
		return nil, fmt.Errorf("read delivery of event %s: %w", eventID, err)
	}
	d, err := pgx.CollectExactlyOneRow(rows, scanDelivery)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, problem.New(problem.NotFound, "No delivery of this event was found.")
	}
	if err != nil {
		return nil, fmt.Errorf("read delivery of event %s: %w", eventID, err)
	}
	return &d, nil
}

// DeliveryFilter narrows a list of deliveries; zero values match all.
type DeliveryFilter struct {
	Status  job.DeliveryStatus
	Created Period
	job.Page
}

func deliveryOrder() listOrder {
	return listOrder{timeKey("d.created_at").desc(), uuidKey("d.event_id")}
}

// DeliveryCursor returns the keys of a delivery in the list.
func DeliveryCursor(d *job.Delivery) []string {
	return []string{timeCursor(d.CreatedAt), string(d.EventID)}
}

// Deliveries lists the organisation's deliveries, newest first, and their total number.
func (*DB) Deliveries(ctx context.Context, tx pgx.Tx, f DeliveryFilter) ([]job.Delivery, int64, error) {
	c := &conditions{}
	if f.Status != "" {
		c.add(`d.status = $%d`, f.Status)
	}
	c.inPeriod(`d.created_at`, f.Created)
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM webhook_deliveries AS d `+c.where(), c.args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count deliveries: %w", err)
	}
	if err := c.addAfter(deliveryOrder(), f.After); err != nil {
		return nil, 0, err
	}
	rows, err := tx.Query(ctx, selectDeliveries+c.where()+deliveryOrder().clause()+c.page(f.Page), c.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list deliveries: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanDelivery)
	if err != nil {
		return nil, 0, fmt.Errorf("list deliveries: %w", err)
	}
	return found, total, nil
}

// SaveAttempt saves the result of an attempt. A delivery that has ended is unchanged.
func (*DB) SaveAttempt(ctx context.Context, tx pgx.Tx, eventID job.EventID, a job.Attempt) error {
	_, err := tx.Exec(ctx, `
		UPDATE webhook_deliveries
		SET status = $2, attempts = attempts + 1, http_status = nullif($3, 0), fault = nullif($4, ''),
		    next_attempt_at = now() + make_interval(secs => $5), queued_at = NULL,
		    ended_at = CASE WHEN $2 <> 'PENDING' THEN now() END
		WHERE event_id = $1 AND status = 'PENDING'`, eventID, a.Status, a.HTTPStatus, a.Error, a.Pause.Seconds())
	if err != nil {
		return fmt.Errorf("save delivery attempt of event %s: %w", eventID, err)
	}
	return nil
}

// QueueDeliveries returns deliveries of all organisations that are due for their next attempt
// and have not been queued for a while, and marks them as queued.
func (*DB) QueueDeliveries(ctx context.Context, tx pgx.Tx, again time.Duration, limit int) ([]job.EventRef, error) {
	rows, err := tx.Query(ctx, `
		UPDATE webhook_deliveries
		SET queued_at = now()
		WHERE event_id IN (
			SELECT event_id
			FROM webhook_deliveries
			WHERE status = 'PENDING' AND next_attempt_at <= now() AND (queued_at IS NULL OR queued_at < now() - make_interval(secs => $1))
			ORDER BY next_attempt_at
			LIMIT $2
			FOR UPDATE SKIP LOCKED)
		RETURNING event_id::text, organisation_id`, again.Seconds(), limit)
	if err != nil {
		return nil, fmt.Errorf("queue deliveries: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[job.EventRef])
	if err != nil {
		return nil, fmt.Errorf("queue deliveries: %w", err)
	}
	return found, nil
}

// DeleteTestDeliveries deletes tests of the webhook that are older than kept. All other
// deliveries are deleted with their imports and exports.
func (*DB) DeleteTestDeliveries(ctx context.Context, tx pgx.Tx, kept time.Duration) error {
	_, err := tx.Exec(ctx, `DELETE FROM webhook_deliveries WHERE job_id IS NULL AND export_id IS NULL AND created_at < now() - make_interval(secs => $1)`, kept.Seconds())
	if err != nil {
		return fmt.Errorf("delete webhook test deliveries: %w", err)
	}
	return nil
}
