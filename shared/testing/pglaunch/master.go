package pglaunch

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// EnsureMasterRole creates or updates a role that corresponds to the master user of RDS: it owns
// the database, which is created if missing, and may create roles, but it is not a superuser, and
// row level security applies to it. It becomes the owner of what a superuser has created of Loadbay.
// In a database that has tables of others, it may only create schemas.
//
// The master user of RDS is also in rds_superuser (pg_monitor, pg_signal_backend, extensions),
// which Loadbay does not need and this role lacks.
//
// A server's administrator who is not a superuser cannot create such a role, and already is one:
// isSuperuser is then false, and nothing has been changed.
func (s *Server) EnsureMasterRole(ctx context.Context, role, secret, database string) (isSuperuser bool, err error) {
	conn, err := pgx.Connect(ctx, s.AdminURL(""))
	if err != nil {
		return false, fmt.Errorf("create role %s: %w", role, err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := conn.QueryRow(ctx, `SELECT rolsuper FROM pg_roles WHERE rolname = current_user`).Scan(&isSuperuser); err != nil || !isSuperuser {
		return false, err
	}
	if database == "" {
		database = conn.Config().Database
	}
	if err := execGenerated(ctx, conn, masterStatements, role, secret, database); err != nil {
		return true, fmt.Errorf("create role %s: %w", role, err)
	}
	inside, err := pgx.Connect(ctx, s.AdminURL(database))
	if err != nil {
		return true, fmt.Errorf("grant %s to %s: %w", database, role, err)
	}
	defer func() { _ = inside.Close(context.WithoutCancel(ctx)) }()
	if err := execGenerated(ctx, inside, ownershipStatements, role); err != nil {
		return true, fmt.Errorf("grant %s to %s: %w", database, role, err)
	}
	return true, nil
}

// masterStatements returns the statements that make the role $1, with the password $2, the owner
// of the database $3. Utility statements take no parameters, so Postgres quotes them.
const masterStatements = `
	SELECT format('%s ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS CREATEROLE CREATEDB PASSWORD %L',
		CASE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = $1) THEN 'ALTER' ELSE 'CREATE' END, $1::text, $2::text)
	UNION ALL
	SELECT format('CREATE DATABASE %I OWNER %I', $3::text, $1::text)
	WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = $3)`

// ownershipStatements returns the statements that make $1 the owner of the database, or of what a
// superuser has created of Loadbay in a database with tables of others, and that let it alter the
// roles that a superuser has created: from Postgres 16 on, CREATEROLE alone does not permit that.
// Releases up to 0.1.0 had their tables in the schema public.
const ownershipStatements = `
	WITH schemas AS (
		SELECT oid, nspname, nspowner
		FROM pg_namespace
		WHERE nspname IN ('loadbay', 'sample') OR nspname = 'public' AND to_regprocedure('public.isolate_tenants(regclass)') IS NOT NULL
	), shared AS (
		SELECT EXISTS (
			SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
			WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
			  AND n.oid NOT IN (SELECT oid FROM schemas)) AS of_others
	)
	SELECT CASE WHEN of_others THEN format('GRANT CREATE ON DATABASE %I TO %I', current_database(), $1::text)
		ELSE format('ALTER DATABASE %I OWNER TO %I', current_database(), $1::text) END
	FROM shared, pg_database
	WHERE datname = current_database() AND datdba <> to_regrole($1)
	UNION ALL
	SELECT format('ALTER SCHEMA %I OWNER TO %I', nspname, $1::text)
	FROM schemas
	WHERE nspname <> 'public' AND nspowner <> to_regrole($1)
	UNION ALL
	SELECT format('ALTER TABLE %s OWNER TO %I', oid::regclass, $1::text)
	FROM pg_class
	WHERE relnamespace IN (SELECT oid FROM schemas) AND relkind IN ('r', 'p', 'v', 'm') AND relowner <> to_regrole($1)
	UNION ALL
	SELECT format('ALTER ROUTINE %s OWNER TO %I', oid::regprocedure, $1::text)
	FROM pg_proc
	WHERE pronamespace IN (SELECT oid FROM schemas) AND proowner <> to_regrole($1)
	UNION ALL
	SELECT format('GRANT %I TO %I WITH ADMIN TRUE, INHERIT FALSE, SET FALSE', r.rolname, $1::text)
	FROM pg_roles AS r
	WHERE r.rolname LIKE 'loadbay\_%' AND r.rolname <> $1 AND current_setting('server_version_num')::int >= 160000
	  AND NOT EXISTS (SELECT FROM pg_auth_members WHERE roleid = r.oid AND member = to_regrole($1) AND admin_option)`

// execGenerated executes the statements that a query returns.
func execGenerated(ctx context.Context, conn *pgx.Conn, query string, args ...any) error {
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
