package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// AddQuarantined records a quarantined file. An existing record is unchanged.
func (*DB) AddQuarantined(ctx context.Context, tx pgx.Tx, q *job.Quarantined) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO quarantined_drops (id, organisation_id, object_key, kept_key, size_bytes, code, message, errors)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (id) DO NOTHING`,
		q.ID, q.OrganisationID, q.ObjectKey, q.QuarantineKey, q.SizeBytes, q.Code, pgtext.Sanitize(q.Message), pgtext.SanitizeJSON(q.Errors))
	if err != nil {
		return fmt.Errorf("save quarantined file %s: %w", q.ID, err)
	}
	return nil
}

const selectQuarantined = `
		SELECT id::text, organisation_id, object_key, kept_key, size_bytes, code, message, errors, quarantined_at
		FROM quarantined_drops `

func quarantineOrder() listOrder { return listOrder{timeKey("quarantined_at").desc(), uuidKey("id")} }

// QuarantineCursor returns the keys of a file in the list.
func QuarantineCursor(q *job.Quarantined) []string {
	return []string{timeCursor(q.QuarantinedAt), string(q.ID)}
}

// Quarantined lists the organisation's quarantined files, the newest first, and their total
// number.
func (*DB) Quarantined(ctx context.Context, tx pgx.Tx, p job.Page) (found []job.Quarantined, total int64, err error) {
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM quarantined_drops`).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count quarantined files: %w", err)
	}
	c := &conditions{}
	if err := c.addAfter(quarantineOrder(), p.After); err != nil {
		return nil, 0, err
	}
	rows, err := tx.Query(ctx, selectQuarantined+c.where()+quarantineOrder().clause()+c.page(p), c.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list quarantined files: %w", err)
	}
	if found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[job.Quarantined]); err != nil {
		return nil, 0, fmt.Errorf("list quarantined files: %w", err)
	}
	return found, total, nil
}

// LockQuarantined returns a quarantined file, and locks it until the transaction ends;
// NOT_FOUND if it does not exist.
func (*DB) LockQuarantined(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Quarantined, error) {
	notFound := problem.New(problem.NotFound, "No quarantined file with this ID exists.")
	if id == "" {
		return nil, notFound
	}
	rows, err := tx.Query(ctx, selectQuarantined+`WHERE id = $1 FOR UPDATE`, id)
	if err != nil {
		return nil, fmt.Errorf("lock quarantined file %s: %w", id, err)
	}
	q, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[job.Quarantined])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, notFound
	}
	if err != nil {
		return nil, fmt.Errorf("lock quarantined file %s: %w", id, err)
	}
	return q, nil
}

// DeleteQuarantined deletes the record of a quarantined file.
func (*DB) DeleteQuarantined(ctx context.Context, tx pgx.Tx, id job.ID) error {
	if _, err := tx.Exec(ctx, `DELETE FROM quarantined_drops WHERE id = $1`, id); err != nil {
		return fmt.Errorf("delete quarantined file %s: %w", id, err)
	}
	return nil
}

// DeleteOldQuarantined deletes the records of files of all organisations that were
// quarantined longer ago than the bucket retains them.
func (*DB) DeleteOldQuarantined(ctx context.Context, tx pgx.Tx, kept time.Duration) error {
	if _, err := tx.Exec(ctx, `DELETE FROM quarantined_drops WHERE quarantined_at < now() - make_interval(secs => $1)`, kept.Seconds()); err != nil {
		return fmt.Errorf("delete quarantined files: %w", err)
	}
	return nil
}
