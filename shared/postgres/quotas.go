package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
)

// LockQuotas prevents changes of what counts towards the organisation's quotas until the
// transaction ends. It locks a row, as an advisory lock would pin a connection of RDS Proxy.
func (db *DB) LockQuotas(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO organisation_usage (organisation_id) VALUES ($1)
		ON CONFLICT (organisation_id) DO UPDATE SET organisation_id = excluded.organisation_id`, organisation)
	if err != nil {
		return fmt.Errorf("lock usage of organisation %d: %w", organisation, err)
	}
	return nil
}

const (
	openImports = `(
		SELECT count(*) AS open, coalesce(sum(CASE size_bytes WHEN 0 THEN $3 ELSE size_bytes END), 0)::bigint AS bytes
		FROM import_jobs
		WHERE organisation_id = $1 AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')
	) AS imports`
	// Retries and undos have no files of their own. pg_column_size does not read a document that is
	// stored outside of its row.
	recentBytes = `(
		SELECT coalesce(sum($6 + coalesce(pg_column_size(g.document), 0) + CASE
			WHEN NOT j.files_purged AND (j.uploaded_at IS NOT NULL OR j.completed_at IS NULL) AND NOT j.rerun AND j.undo_of IS NULL
			THEN j.size_bytes ELSE 0 END), 0)::bigint
		FROM import_jobs AS j
		LEFT JOIN import_given_mappings AS g ON g.job_id = j.id
		WHERE j.organisation_id = $1 AND j.created_at > now() - interval '7 days'
	)`
	openExports = `(
		SELECT count(*) AS open FROM export_jobs WHERE organisation_id = $1 AND status IN ('pending', 'processing')
	) AS exports`
	openStreams = `(
		SELECT count(*) AS open FROM stream_slots WHERE organisation_id = $1 AND kind = 'stream' AND expires_at > now()
	) AS streams`
)

// ImportQuota returns the quota usage of the organisation's open imports, and whether the one
// with that id is already counted. A file of unknown size counts as the largest.
func (db *DB) ImportQuota(ctx context.Context, tx pgx.Tx, organisation tenant.ID, id job.ID, most quota.Limits, largest int64) (q quota.Imports, err error) {
	err = tx.QueryRow(ctx, `
		SELECT coalesce(o.max_open_imports, $4), imports.open, coalesce(o.max_announced_bytes, $5), imports.bytes,
			`+recentBytes+`, EXISTS (SELECT FROM import_jobs WHERE uuid = $2)
		FROM `+openImports+`
		LEFT JOIN organisations AS o ON o.id = $1`, organisation, id, largest, most.OpenImports, most.AnnouncedBytes, int64(quota.RecordBytes)).
		Scan(&q.Open.Limit, &q.Open.Used, &q.Bytes.Limit, &q.Bytes.Used, &q.Recent, &q.Counted)
	if err != nil {
		return q, fmt.Errorf("load import quota of organisation %d: %w", organisation, err)
	}
	return q, nil
}

// ExportQuota is ImportQuota for exports.
func (db *DB) ExportQuota(ctx context.Context, tx pgx.Tx, organisation tenant.ID, id job.ExportID, most quota.Limits) (q quota.Exports, err error) {
	err = tx.QueryRow(ctx, `
		SELECT coalesce(o.max_open_exports, $3), exports.open, coalesce(o.max_announced_bytes, $4),
			(SELECT coalesce(sum(size_bytes), 0)::bigint FROM export_jobs WHERE organisation_id = $1), EXISTS (SELECT FROM export_jobs WHERE uuid = $2)
		FROM `+openExports+`
		LEFT JOIN organisations AS o ON o.id = $1`, organisation, id, most.OpenExports, most.AnnouncedBytes).
		Scan(&q.Open.Limit, &q.Open.Used, &q.Bytes, &q.Recent, &q.Counted)
	if err != nil {
		return q, fmt.Errorf("load export quota of organisation %d: %w", organisation, err)
	}
	return q, nil
}

// AcquireStream acquires a slot for a stream of at most that lifetime, or returns the error
// that rejects it.
func (db *DB) AcquireStream(ctx context.Context, organisation tenant.ID, id uuid.UUID, most quota.Limits, lifetime time.Duration) error {
	return db.InOrganisation(ctx, organisation, func(tx pgx.Tx) error {
		if err := db.lockSlots(ctx, tx, organisation); err != nil {
			return err
		}
		var u quota.Usage
		err := tx.QueryRow(ctx, `
			SELECT coalesce(o.max_streams, $2), streams.open FROM `+openStreams+`
			LEFT JOIN organisations AS o ON o.id = $1`, organisation, most.Streams).Scan(&u.Limit, &u.Used)
		if err != nil {
			return fmt.Errorf("load stream quota of organisation %d: %w", organisation, err)
		}
		if err := u.Check(quota.Streams, 1); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO stream_slots (id, organisation_id, expires_at) VALUES ($1, $2, now() + make_interval(secs => $3))`,
			id, organisation, lifetime.Seconds())
		if err != nil {
			return fmt.Errorf("acquire stream slot of organisation %d: %w", organisation, err)
		}
		return nil
	})
}

// requestPortion is the share of a minute's remaining requests that an instance is granted at
// once: many instances may ask, and unused requests are lost.
const requestPortion = `0.05`

// GrantRequests grants a portion of the organisation's requests of this minute, by the
// database clock, in one round trip.
func (db *DB) GrantRequests(ctx context.Context, organisation tenant.ID, most int64) (g quota.Grant, err error) {
	const used = `CASE WHEN u.window_start >= w.start THEN u.requests ELSE 0 END`
	const share = `greatest(ceil((w.most - ` + used + `) * ` + requestPortion + `), 0)::bigint`
	batch := &pgx.Batch{}
	batch.Queue(`SELECT set_config('app.organisation', $1, true)`, organisation.String())
	batch.Queue(`
		INSERT INTO organisation_usage (organisation_id)
		SELECT $1 WHERE NOT EXISTS (SELECT FROM organisation_deletions WHERE organisation_id = $1 AND completed_at IS NOT NULL)
		ON CONFLICT (organisation_id) DO NOTHING`, organisation)
	batch.Queue(`
		UPDATE organisation_usage AS u
		SET window_start = greatest(u.window_start, w.start), granted = `+share+`, requests = `+used+` + `+share+`
		FROM (
			SELECT date_trunc('minute', now()) AS start,
				coalesce((SELECT max_requests_per_minute FROM organisations WHERE id = $1), $2) AS most
		) AS w
		WHERE u.organisation_id = $1
		RETURNING u.granted, w.most, extract(epoch FROM w.start + interval '1 minute' - now())::float8`, organisation, most)
	results := db.pool.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	for range 2 {
		if _, err := results.Exec(); err != nil {
			return g, fmt.Errorf("grant requests of organisation %d: %w", organisation, err)
		}
	}
	var seconds float64
	err = results.QueryRow().Scan(&g.Requests, &g.Limit, &seconds)
	if errors.Is(err, pgx.ErrNoRows) { // a deleted organisation, of which only the receipt can be read
		return quota.Grant{Requests: 1, Limit: most, Ends: time.Second}, nil
	}
	if err != nil {
		return g, fmt.Errorf("grant requests of organisation %d: %w", organisation, err)
	}
	g.Ends = time.Duration(seconds * float64(time.Second))
	return g, nil
}

// Quotas returns all quotas of an organisation and their usage. Requests are those granted to
// instances.
func (db *DB) Quotas(ctx context.Context, tx pgx.Tx, organisation tenant.ID, most quota.Limits, largest int64) (u quota.Usages, err error) {
	err = tx.QueryRow(ctx, `
		SELECT coalesce(o.max_open_imports, $2), imports.open, coalesce(o.max_announced_bytes, $4), imports.bytes,
			coalesce(o.max_open_exports, $5), exports.open, coalesce(o.max_streams, $6), streams.open,
			coalesce(o.max_requests_per_minute, $7),
			coalesce((SELECT requests FROM organisation_usage WHERE organisation_id = $1 AND window_start >= date_trunc('minute', now())), 0)
		FROM `+openImports+` CROSS JOIN `+openExports+` CROSS JOIN `+openStreams+`
		LEFT JOIN organisations AS o ON o.id = $1`,
		organisation, most.OpenImports, largest, most.AnnouncedBytes, most.OpenExports, most.Streams, most.RequestsPerMinute).
		Scan(&u.OpenImports.Limit, &u.OpenImports.Used, &u.AnnouncedBytes.Limit, &u.AnnouncedBytes.Used,
			&u.OpenExports.Limit, &u.OpenExports.Used, &u.Streams.Limit, &u.Streams.Used, &u.RequestsPerMinute.Limit, &u.RequestsPerMinute.Used)
	if err != nil {
		return u, fmt.Errorf("load quotas of organisation %d: %w", organisation, err)
	}
	return u, nil
}
