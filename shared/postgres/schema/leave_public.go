package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/loadbay/loadbay/migrations"
)

// Releases up to 0.1.0 had their tables in `public`, which is where their migrations still create
// them. movingVersion is the migration that moves them.
const (
	pathInPublic  = "public, loadbay, sample, pg_temp"
	movingVersion = 77
)

// pathOfBoth finds the tables before and after the move.
const pathOfBoth = "loadbay, sample, public, pg_temp"

// leavePublicLock is held while the tables move, so that a concurrent call does not look for them
// where they no longer are.
const leavePublicLock = rolesLock + 1

// leavePublic moves the tables out of `public` while functions of an earlier release may be at
// work. These have no search path of their own. They get one from their roles, with which they find
// the tables before and after the move; sessions that have begun without it are ended, which every
// function survives (docs/exactly-once.md). Nothing else has to stop.
func (m *migration) leavePublic(ctx context.Context, db *sql.DB) (applied []string, err error) {
	if found, err := isInPublic(ctx, db); err != nil || !found {
		return nil, err
	}
	locked, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	defer locked.Close()
	if _, err := locked.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, leavePublicLock); err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	// A later migration that builds an index waits for the statement of a call that waits for the lock.
	defer func() {
		_, unlockErr := locked.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, leavePublicLock)
		err = errors.Join(err, unlockErr)
	}()
	if found, err := isInPublic(ctx, db); err != nil || !found {
		return nil, err
	}
	if err := prepare(ctx, db, m.roles, pathOfBoth); err != nil {
		return nil, err
	}
	if !m.reconnected {
		if err := endSessions(ctx, db, m.roles); err != nil {
			return nil, fmt.Errorf("migrate: %w", err)
		}
		m.reconnected = true
	}
	return m.up(ctx, pathInPublic, migrations.Files, goose.DefaultTablename, movingVersion)
}

// isInPublic reports whether the database has the tables of such a release. Somebody else's
// tables may have the same names, and somebody else may use goose.
func isInPublic(ctx context.Context, db *sql.DB) (found bool, err error) {
	err = db.QueryRowContext(ctx, `
		SELECT to_regclass('loadbay.goose_db_version') IS NULL
			AND to_regclass('public.goose_db_version') IS NOT NULL
			AND to_regprocedure('public.isolate_tenants(regclass)') IS NOT NULL`).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("migrate: %w", err)
	}
	return found, nil
}

// A session that is starting may have read its role's settings already, but be invisible yet.
const (
	sessionStart      = time.Second
	sessionEndTimeout = 30 * time.Second
)

// endSessions ends the sessions of the roles that have begun before, and returns when none is left.
func endSessions(ctx context.Context, db *sql.DB, roles []Role) error {
	var now time.Time
	if err := db.QueryRowContext(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return err
	}
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = r.Name
	}
	for start := time.Now(); ; {
		left, err := endSessionsBefore(ctx, db, names, now)
		switch {
		case err != nil:
			return err
		case left == 0 && time.Since(start) > sessionStart:
			return nil
		case time.Since(start) > sessionEndTimeout:
			return fmt.Errorf("%d sessions of the previous release do not end: end those of %v with pg_terminate_backend, and migrate again", left, names)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(sessionStart / 4):
		}
	}
}

// endSessionsBefore signals the sessions, and returns how many there were. Only a member of a role
// may end its sessions, so the owner, who has created the roles, is one until the rollback.
func endSessionsBefore(ctx context.Context, db *sql.DB, roles []string, before time.Time) (found int, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	for _, role := range roles {
		var member bool
		if err := tx.QueryRowContext(ctx, `SELECT pg_has_role(current_user, $1, 'USAGE')`, role).Scan(&member); err != nil {
			return 0, err
		}
		if member {
			continue
		}
		if err := execFormatted(ctx, tx, `SELECT format('GRANT %I TO CURRENT_USER', $1::text)`, role); err != nil {
			return 0, err
		}
	}
	err = tx.QueryRowContext(ctx, `
		SELECT count(*) FILTER (WHERE pg_terminate_backend(pid) IS NOT NULL)
		FROM pg_stat_activity
		WHERE datname = current_database() AND usename = ANY ($1) AND pid <> pg_backend_pid() AND backend_start <= $2`, roles, before).Scan(&found)
	return found, err
}
