package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/deletion"
	"github.com/loadbay/loadbay/shared/problem"
)

// deletionsTable holds the deletions, which remain as receipts.
const deletionsTable = "organisation_deletions"

// isDeleted is the condition that a confirmed deletion of the organisation exists.
const isDeleted = `EXISTS (SELECT FROM organisation_deletions AS d WHERE d.organisation_id = $1 AND d.confirmed_at IS NOT NULL)`

func deletedError() error {
	return problem.New(problem.OrgDeleted, "The organisation is being deleted. Nothing can be changed any more.")
}

// CheckNotDeleted returns ORG_DELETED if the deletion of the organisation is confirmed.
func (db *DB) CheckNotDeleted(ctx context.Context, organisation tenant.ID) error {
	return db.InOrganisation(ctx, organisation, func(tx pgx.Tx) error {
		var deleted bool
		if err := tx.QueryRow(ctx, `SELECT `+isDeleted, organisation).Scan(&deleted); err != nil {
			return fmt.Errorf("look up deletion of organisation %d: %w", organisation, err)
		}
		if deleted {
			return deletedError()
		}
		return nil
	})
}

// NeedsOtherPerson reports whether plans of the organisation are approved by another person than their
// creator.
func (db *DB) NeedsOtherPerson(ctx context.Context, tx pgx.Tx, _ tenant.ID) (bool, error) {
	s, err := db.Settings(ctx, tx)
	return s.Approval == job.ApprovalOther, err
}

// RequestDeletion creates the request for the deletion of an organisation, or replaces one that is not
// confirmed.
func (*DB) RequestDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID, by string, otherPerson bool) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO organisation_deletions AS d (organisation_id, requested_by, other_person)
		VALUES ($1, $2, $3)
		ON CONFLICT (organisation_id) DO UPDATE
		SET requested_at = now(), requested_by = $2, other_person = $3
		WHERE d.confirmed_at IS NULL`, organisation, by, otherPerson)
	if err != nil {
		return fmt.Errorf("request deletion of organisation %d: %w", organisation, err)
	}
	return nil
}

// Deletion returns the deletion of an organisation, or NOT_FOUND.
func (db *DB) Deletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (*deletion.Deletion, error) {
	return db.deletion(ctx, tx, organisation, ``)
}

// LockDeletion is Deletion, and locks the deletion until the transaction ends.
func (db *DB) LockDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (*deletion.Deletion, error) {
	return db.deletion(ctx, tx, organisation, ` FOR UPDATE`)
}

func (*DB) deletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID, lock string) (*deletion.Deletion, error) {
	d := &deletion.Deletion{Organisation: organisation}
	err := tx.QueryRow(ctx, `
		SELECT requested_at, coalesce(requested_by, ''), other_person, confirmed_at, completed_at, deleted_rows, deleted_objects, clock_timestamp()
		FROM organisation_deletions
		WHERE organisation_id = $1`+lock, organisation).
		Scan(&d.RequestedAt, &d.RequestedBy, &d.OtherPerson, &d.ConfirmedAt, &d.CompletedAt, &d.Rows, &d.Objects, &d.Now)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, problem.New(problem.NotFound, "The deletion of this organisation has not been requested.")
	}
	if err != nil {
		return nil, fmt.Errorf("load deletion of organisation %d: %w", organisation, err)
	}
	return d, nil
}

// ConfirmDeletion confirms a deletion, which reconcile then starts at once.
func (*DB) ConfirmDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error {
	_, err := tx.Exec(ctx, `
		UPDATE organisation_deletions
		SET confirmed_at = now(), touched_at = now() - `+deletionBackoff+`, requeues = 0
		WHERE organisation_id = $1 AND confirmed_at IS NULL`, organisation)
	if err != nil {
		return fmt.Errorf("confirm deletion of organisation %d: %w", organisation, err)
	}
	return nil
}

// WithdrawDeletion deletes a request that is not confirmed.
func (*DB) WithdrawDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error {
	if _, err := tx.Exec(ctx, `DELETE FROM organisation_deletions WHERE organisation_id = $1 AND confirmed_at IS NULL`, organisation); err != nil {
		return fmt.Errorf("withdraw deletion of organisation %d: %w", organisation, err)
	}
	return nil
}

// AddDeleted counts deleted rows by table, and files, and records the progress.
func (*DB) AddDeleted(ctx context.Context, tx pgx.Tx, organisation tenant.ID, rows map[string]int64, objects int64) error {
	for table, n := range rows {
		_, err := tx.Exec(ctx, `
			UPDATE organisation_deletions
			SET deleted_rows = deleted_rows || jsonb_build_object($2::text, coalesce((deleted_rows ->> $2)::bigint, 0) + $3::bigint)
			WHERE organisation_id = $1`, organisation, table, n)
		if err != nil {
			return fmt.Errorf("count deleted rows of organisation %d: %w", organisation, err)
		}
	}
	_, err := tx.Exec(ctx, `
		UPDATE organisation_deletions
		SET deleted_objects = deleted_objects + $2, touched_at = now(), requeues = 0
		WHERE organisation_id = $1`, organisation, objects)
	if err != nil {
		return fmt.Errorf("save progress of deletion of organisation %d: %w", organisation, err)
	}
	return nil
}

// PostponeDeletion sets after what time reconcile continues a deletion.
func (*DB) PostponeDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID, after time.Duration) error {
	_, err := tx.Exec(ctx, `
		UPDATE organisation_deletions
		SET requeues = 0, touched_at = now() + make_interval(secs => $2) - `+deletionPause+`
		WHERE organisation_id = $1`, organisation, after.Seconds())
	if err != nil {
		return fmt.Errorf("postpone deletion of organisation %d: %w", organisation, err)
	}
	return nil
}

// ownedTable is a table as read from the catalogue.
type ownedTable struct {
	deletion.Table
	Refers []string // tables that it refers to
}

// OwnedTables returns all tables with rows of organisations, referring tables before the tables that
// they refer to, without that of deletions. A table's keys are those of a unique index, preferably of
// the primary key.
func (db *DB) OwnedTables(ctx context.Context, tx pgx.Tx) ([]deletion.Table, error) {
	rows, err := tx.Query(ctx, `
		SELECT format('%I.%I', n.nspname, c.relname), coalesce((
				SELECT array_agg(quote_ident(k.attname) ORDER BY k.attnum)
				FROM pg_attribute AS k
				WHERE k.attrelid = c.oid AND k.attnum = ANY ((
					SELECT i.indkey::int2[] FROM pg_index AS i
					WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
					ORDER BY i.indisprimary DESC, i.indexrelid
					LIMIT 1
				)::int2[])
			), '{}'),
			EXISTS (SELECT FROM pg_attribute AS j WHERE j.attrelid = c.oid AND j.attname = 'job_id'),
			EXISTS (SELECT FROM pg_attribute AS j WHERE j.attrelid = c.oid AND j.attname = 'job_id' AND j.attnotnull),
			ARRAY(
				SELECT DISTINCT format('%I.%I', rn.nspname, r.relname)
				FROM pg_constraint AS f
				JOIN pg_class AS r ON r.oid = f.confrelid
				JOIN pg_namespace AS rn ON rn.oid = r.relnamespace
				WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid
			)
		FROM pg_class AS c
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'organisation_id' AND NOT a.attisdropped
		WHERE n.nspname IN ('loadbay', 'sample') AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> $1
		ORDER BY 1`, deletionsTable)
	if err != nil {
		return nil, fmt.Errorf("load tables of organisations: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ownedTable])
	if err != nil {
		return nil, fmt.Errorf("load tables of organisations: %w", err)
	}
	return sortOwned(found)
}

// sortOwned orders tables so that referring ones come first.
func sortOwned(found []ownedTable) ([]deletion.Table, error) {
	var sorted []deletion.Table
	for len(found) > 0 {
		i := slices.IndexFunc(found, func(t ownedTable) bool {
			return !slices.ContainsFunc(found, func(other ownedTable) bool { return slices.Contains(other.Refers, t.Name) })
		})
		if i < 0 {
			return nil, fmt.Errorf("tables refer to each other in a cycle: %d", len(found))
		}
		sorted = append(sorted, found[i].Table)
		found = slices.Delete(found, i, i+1)
	}
	return sorted, nil
}

// deleteOwnedSQL returns the statement that deletes up to $2 rows of organisation $1 that match a
// condition on the table t.
func deleteOwnedSQL(t *deletion.Table, condition string) string {
	equal := []string{"e.organisation_id = $1"}
	for _, key := range t.Keys {
		equal = append(equal, "e."+key+" = d."+key)
	}
	return fmt.Sprintf(`
		DELETE FROM %[1]s AS e
		USING (SELECT %[2]s FROM %[1]s AS t WHERE t.organisation_id = $1%[3]s LIMIT $2) AS d
		WHERE %[4]s`, t.Name, strings.Join(t.Keys, ", "), condition, strings.Join(equal, " AND "))
}

// DeleteOwnedRows deletes up to limit rows of a table, and returns their number.
func (*DB) DeleteOwnedRows(ctx context.Context, tx pgx.Tx, organisation tenant.ID, t deletion.Table, limit int) (int, error) {
	tag, err := tx.Exec(ctx, deleteOwnedSQL(&t, ""), organisation, limit)
	if err != nil {
		return 0, fmt.Errorf("delete rows of %s: %w", t.Name, err)
	}
	return int(tag.RowsAffected()), nil
}

// DeleteOwnedRowsOfJob is DeleteOwnedRows for the rows of a job.
func (*DB) DeleteOwnedRowsOfJob(ctx context.Context, tx pgx.Tx, organisation tenant.ID, t deletion.Table, key job.Key, limit int) (int, error) {
	tag, err := tx.Exec(ctx, deleteOwnedSQL(&t, " AND t.job_id = $3"), organisation, limit, key)
	if err != nil {
		return 0, fmt.Errorf("delete rows of %s of job %d: %w", t.Name, key, err)
	}
	return int(tag.RowsAffected()), nil
}

// OrganisationJobs returns some jobs of the organisation, those that have not ended first.
func (db *DB) OrganisationJobs(ctx context.Context, tx pgx.Tx, organisation tenant.ID, limit int) ([]*job.Job, error) {
	open, err := db.jobsWhere(ctx, tx, `
		WHERE organisation_id = $1 AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')
		ORDER BY id
		LIMIT $2`, organisation, limit)
	if err != nil || len(open) > 0 {
		return open, err
	}
	return db.jobsWhere(ctx, tx, `WHERE organisation_id = $1 ORDER BY id LIMIT $2`, organisation, limit)
}

// DeleteOwnedJob deletes a job that has ended, without leaving a tombstone, and returns the number of
// deleted rows.
func (*DB) DeleteOwnedJob(ctx context.Context, tx pgx.Tx, organisation tenant.ID, key job.Key) (int, error) {
	tag, err := tx.Exec(ctx, `
		DELETE FROM import_jobs
		WHERE organisation_id = $1 AND id = $2 AND status = ANY ($3)`, organisation, key, statusTexts(job.TerminalStatuses()))
	if err != nil {
		return 0, fmt.Errorf("delete job %d: %w", key, err)
	}
	return int(tag.RowsAffected()), nil
}

// EndOpenExports cancels the organisation's exports that have not ended.
func (*DB) EndOpenExports(ctx context.Context, tx pgx.Tx, organisation tenant.ID, why job.Failure) error {
	_, err := tx.Exec(ctx, `
		UPDATE export_jobs
		SET status = 'cancelled', failure_code = $2, failure_message = $3, completed_at = now()
		WHERE organisation_id = $1 AND status IN ('pending', 'processing')`, organisation, why.Code, why.Message)
	if err != nil {
		return fmt.Errorf("cancel exports of organisation %d: %w", organisation, err)
	}
	return nil
}

// EndDeletion deletes the organisation itself and completes the deletion. It reports false if there
// are still rows of the organisation: tables with a foreign key to it are checked by the database, the
// others here.
func (db *DB) EndDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (bool, error) {
	tables, err := db.OwnedTables(ctx, tx)
	if err != nil {
		return false, err
	}
	for _, t := range tables {
		if t.OfJobs { // no row of these is written without its import
			continue
		}
		var left bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+t.Name+` AS t WHERE t.organisation_id = $1)`, organisation).Scan(&left); err != nil {
			return false, fmt.Errorf("look for rows of organisation %d: %w", organisation, err)
		}
		if left {
			return false, nil
		}
	}
	deleted := false
	err = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM organisations WHERE id = $1`, organisation); err != nil {
			return err
		}
		deleted = true
		return nil
	})
	if entity.IsForeignKeyViolation(err) { // a row was added in the meantime
		return false, nil
	}
	if err == nil {
		_, err = tx.Exec(ctx, `
			UPDATE organisation_deletions
			SET completed_at = now(), requested_by = NULL, touched_at = now(), deleted_rows = deleted_rows || '{"loadbay.organisations": 1}'
			WHERE organisation_id = $1`, organisation)
	}
	if err != nil {
		return false, fmt.Errorf("end deletion of organisation %d: %w", organisation, err)
	}
	return deleted, nil
}

// ClaimOpenDeletions returns confirmed deletions of all organisations that are due, the longest waiting
// first. None is returned twice in a row.
func (*DB) ClaimOpenDeletions(ctx context.Context, tx pgx.Tx, limit int) ([]tenant.ID, error) {
	rows, err := tx.Query(ctx, `
		UPDATE organisation_deletions
		SET touched_at = now(), requeues = requeues + 1
		WHERE organisation_id IN (
			SELECT organisation_id FROM organisation_deletions
			WHERE confirmed_at IS NOT NULL AND completed_at IS NULL AND touched_at <= now() - `+deletionBackoff+`
			ORDER BY touched_at
			LIMIT $1
			FOR UPDATE SKIP LOCKED
		)
		RETURNING organisation_id`, limit)
	if err != nil {
		return nil, fmt.Errorf("claim deletions of organisations: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[tenant.ID])
	if err != nil {
		return nil, fmt.Errorf("claim deletions of organisations: %w", err)
	}
	return ids, nil
}
