package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// ProfileRecipients returns the addresses that a profile notifies of its imports; none if it
// was deleted.
func (*DB) ProfileRecipients(ctx context.Context, tx pgx.Tx, id job.ProfileID) ([]string, error) {
	var addresses []string
	err := tx.QueryRow(ctx, `SELECT notify FROM import_profiles WHERE id = $1`, id).Scan(&addresses)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("load recipients of profile %s: %w", id, err)
	}
	return addresses, nil
}

// NotifiedAddresses returns the addresses that have been notified of an event by mail, or
// cannot be.
func (*DB) NotifiedAddresses(ctx context.Context, tx pgx.Tx, event job.EventID) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT address FROM event_mails WHERE event_id = $1`, event)
	if err != nil {
		return nil, fmt.Errorf("load notified addresses of event %s: %w", event, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("load notified addresses of event %s: %w", event, err)
	}
	return found, nil
}

// MarkMailSent records that an address has been notified of a job's event; fault is the reason
// why it never will be, or "".
func (*DB) MarkMailSent(ctx context.Context, tx pgx.Tx, j *job.Job, event job.EventID, address, fault string) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO event_mails (event_id, address, job_id, organisation_id, fault)
		VALUES ($1, $2, $3, $4, nullif($5, ''))
		ON CONFLICT (event_id, address) DO NOTHING`, event, address, j.Key, j.OrganisationID, fault)
	if err != nil {
		return fmt.Errorf("mark e-mail for event %s as sent: %w", event, err)
	}
	return nil
}
