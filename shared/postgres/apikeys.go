package postgres

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/apikey"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

const keyColumns = `id::text, name, scopes, created_by, created_at, rotated_at, CASE WHEN previous_until > now() THEN previous_until END,
			expires_at, last_used_at, revoked_at, coalesce(revoked_by, '')`

func scanKey(row pgx.CollectableRow) (k apikey.Key, err error) {
	err = row.Scan(&k.ID, &k.Name, &k.Scopes, &k.CreatedBy, &k.CreatedAt, &k.RotatedAt, &k.PreviousUntil,
		&k.ExpiresAt, &k.LastUsedAt, &k.RevokedAt, &k.RevokedBy)
	return k, err
}

// collectKey returns the only key of a result; nil if there is none.
func collectKey(rows pgx.Rows, err error) (*apikey.Key, error) {
	if err != nil {
		return nil, err
	}
	k, err := pgx.CollectExactlyOneRow(rows, scanKey)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &k, err
}

// AddKey stores a key with the hash of its token, for some days. ENTITY_EXISTS if another key that is
// not revoked has the name.
func (*DB) AddKey(ctx context.Context, tx pgx.Tx, t apikey.Token, name string, scopes []string, by string, days int) (*apikey.Key, error) {
	k, err := collectKey(tx.Query(ctx, `
		INSERT INTO api_keys (organisation_id, id, name, scopes, hash, created_by, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7))
		RETURNING `+keyColumns, t.Organisation, t.ID, name, scopes, t.Hash(), pgtext.Sanitize(by), days))
	if entity.IsUniqueViolation(err) {
		return nil, problem.New(problem.EntityExists, "Another API key with this name already exists.").
			With("name", problem.EntityExists, "A unique name; case is ignored.")
	}
	if err != nil {
		return nil, fmt.Errorf("add API key: %w", err)
	}
	return k, nil
}

// CountKeys returns the number of keys of an organisation that are accepted.
func (*DB) CountKeys(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT count(*) FROM api_keys WHERE organisation_id = $1 AND revoked_at IS NULL AND expires_at > now()`, organisation).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count API keys: %w", err)
	}
	return n, nil
}

// DeleteOldKeys deletes keys that have not been accepted for a while.
func (*DB) DeleteOldKeys(ctx context.Context, tx pgx.Tx, organisation tenant.ID, kept time.Duration) error {
	_, err := tx.Exec(ctx, `
		DELETE FROM api_keys
		WHERE organisation_id = $1 AND least(revoked_at, expires_at) < now() - make_interval(secs => $2)`, organisation, kept.Seconds())
	if err != nil {
		return fmt.Errorf("delete old API keys: %w", err)
	}
	return nil
}

// Keys lists the newest keys of an organisation, with revoked and expired ones.
func (*DB) Keys(ctx context.Context, tx pgx.Tx, organisation tenant.ID, limit int) ([]apikey.Key, error) {
	rows, err := tx.Query(ctx, `
		SELECT `+keyColumns+`
		FROM api_keys
		WHERE organisation_id = $1
		ORDER BY created_at DESC, id
		LIMIT $2`, organisation, limit)
	if err != nil {
		return nil, fmt.Errorf("list API keys: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanKey)
	if err != nil {
		return nil, fmt.Errorf("list API keys: %w", err)
	}
	return found, nil
}

// Key returns a key that is not revoked, and locks it until the transaction ends; nil if there is
// none.
func (*DB) Key(ctx context.Context, tx pgx.Tx, organisation tenant.ID, id string) (*apikey.Key, error) {
	k, err := collectKey(tx.Query(ctx, `SELECT `+keyColumns+` FROM api_keys WHERE organisation_id = $1 AND id = $2 AND revoked_at IS NULL FOR UPDATE`, organisation, id))
	if err != nil {
		return nil, fmt.Errorf("read API key: %w", err)
	}
	return k, nil
}

// RotateKey replaces a key that is not revoked, for some days; nil if there is none. If it has not
// expired, the former one is accepted for the overlap. by is the person who sees the new key.
func (*DB) RotateKey(ctx context.Context, tx pgx.Tx, t apikey.Token, by string, days int, overlap time.Duration) (*apikey.Key, error) {
	k, err := collectKey(tx.Query(ctx, `
		UPDATE api_keys
		SET hash = $3, previous_hash = hash, previous_until = least(expires_at, now() + make_interval(secs => $5)),
		    rotated_at = now(), expires_at = now() + make_interval(days => $4),
		    rotated_by = CASE WHEN $6 = ANY (rotated_by) THEN rotated_by ELSE rotated_by || $6 END
		WHERE organisation_id = $1 AND id = $2 AND revoked_at IS NULL
		RETURNING `+keyColumns, t.Organisation, t.ID, t.Hash(), days, overlap.Seconds(), pgtext.Sanitize(by)))
	if err != nil {
		return nil, fmt.Errorf("rotate API key: %w", err)
	}
	return k, nil
}

// RevokeKey revokes a key; ok is false if no key with that id is accepted.
func (*DB) RevokeKey(ctx context.Context, tx pgx.Tx, organisation tenant.ID, id, by string) (ok bool, err error) {
	return anyAffected(tx.Exec(ctx, `
		UPDATE api_keys
		SET revoked_at = now(), revoked_by = $3, previous_hash = NULL, previous_until = NULL
		WHERE organisation_id = $1 AND id = $2 AND revoked_at IS NULL`, organisation, id, pgtext.Sanitize(by)))
}

// UseKey returns the key of a token, and records its use; nil if the token is not accepted.
func (*DB) UseKey(ctx context.Context, tx pgx.Tx, t apikey.Token) (*apikey.Key, error) {
	var k apikey.Key
	var hash, previous []byte
	var record bool
	err := tx.QueryRow(ctx, `
		SELECT id::text, name, scopes, hash, CASE WHEN previous_until > now() THEN previous_hash END,
			coalesce(last_used_at < now() - interval '5 minutes', true)
		FROM api_keys
		WHERE organisation_id = $1 AND id = $2 AND revoked_at IS NULL AND expires_at > now()`, t.Organisation, t.ID).
		Scan(&k.ID, &k.Name, &k.Scopes, &hash, &previous, &record)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read API key: %w", err)
	}
	if sent := t.Hash(); subtle.ConstantTimeCompare(sent, hash)|subtle.ConstantTimeCompare(sent, previous) == 0 {
		return nil, nil
	}
	if record {
		if _, err := tx.Exec(ctx, `UPDATE api_keys SET last_used_at = now() WHERE organisation_id = $1 AND id = $2`, t.Organisation, t.ID); err != nil {
			return nil, fmt.Errorf("record the use of an API key: %w", err)
		}
	}
	return &k, nil
}
