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

// AddQuarantined notes a file that was put aside. One that is noted already stays.
func (*DB) AddQuarantined(ctx context.Context, tx pgx.Tx, q *job.Quarantined) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO quarantined_drops (id, organisation_id, object_key, kept_key, size_bytes, code, message, errors)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (id) DO NOTHING`,
		q.ID, q.OrganisationID, q.ObjectKey, q.QuarantineKey, q.SizeBytes, q.Code, pgtext.Sanitize(q.Message), pgtext.SanitizeJSON(q.Errors))
	if err != nil {
		return fmt.Errorf("note quarantined file %s: %w", q.ID, err)
	}
	return nil
}

const selectQuarantined = `
		SELECT id::text, organisation_id, object_key, kept_key, size_bytes, code, message, errors, quarantined_at
		FROM quarantined_drops `

// Quarantined lists the organisation's files that were put aside, the newest first, and
// how many there are.
func (*DB) Quarantined(ctx context.Context, tx pgx.Tx, p Page) (found []job.Quarantined, total int64, err error) {
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM quarantined_drops`).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count quarantined files: %w", err)
	}
	rows, err := tx.Query(ctx, selectQuarantined+`ORDER BY quarantined_at DESC, id OFFSET $1 LIMIT $2`, p.Offset, p.Limit)
	if err != nil {
		return nil, 0, fmt.Errorf("list quarantined files: %w", err)
	}
	if found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[job.Quarantined]); err != nil {
		return nil, 0, fmt.Errorf("list quarantined files: %w", err)
	}
	return found, total, nil
}

// LockQuarantined returns a file that was put aside, and keeps others from working on it
// until the transaction ends; NOT_FOUND where there is none.
func (*DB) LockQuarantined(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Quarantined, error) {
	notFound := problem.New(problem.NotFound, "There is no file with this id in quarantine.")
	if id == "" {
		return nil, notFound
	}
	rows, err := tx.Query(ctx, selectQuarantined+`WHERE id = $1 FOR UPDATE`, id)
	if err != nil {
		return nil, fmt.Errorf("quarantined file %s: %w", id, err)
	}
	q, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[job.Quarantined])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, notFound
	}
	if err != nil {
		return nil, fmt.Errorf("quarantined file %s: %w", id, err)
	}
	return q, nil
}

// DeleteQuarantined forgets a file that was put aside.
func (*DB) DeleteQuarantined(ctx context.Context, tx pgx.Tx, id job.ID) error {
	if _, err := tx.Exec(ctx, `DELETE FROM quarantined_drops WHERE id = $1`, id); err != nil {
		return fmt.Errorf("forget quarantined file %s: %w", id, err)
	}
	return nil
}

// DeleteOldQuarantined forgets files of all organisations that were put aside longer ago
// than the bucket keeps them.
func (*DB) DeleteOldQuarantined(ctx context.Context, tx pgx.Tx, kept time.Duration) error {
	if _, err := tx.Exec(ctx, `DELETE FROM quarantined_drops WHERE quarantined_at < now() - make_interval(secs => $1)`, kept.Seconds()); err != nil {
		return fmt.Errorf("forget quarantined files: %w", err)
	}
	return nil
}
