// Package schema creates and migrates the database's roles and tables.
package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/loadbay/loadbay/migrations"
	"github.com/loadbay/loadbay/shared/postgres/searchpath"
)

// Role is one of the roles that functions connect as.
type Role struct {
	Name string
	// Password is set when it is not empty. It is empty on AWS, where RDS authenticates with IAM.
	Password string
	// Settings limit the role's sessions.
	Settings []SessionSetting
}

// SessionSetting is a Postgres setting with its value in Postgres syntax: "60s".
type SessionSetting struct{ Name, Value string }

// sessionSettings returns the settings of every role that functions connect as. statement is
// the statement timeout in Postgres syntax. A session that is idle in a transaction keeps its
// locks and prevents the vacuuming of dead rows, so it is ended. A statement ends as soon as its
// client has died, not only when its rows are sent. idle_session_timeout is not set: a function
// frozen by Lambda keeps its connection, and the proxy has its own limit.
func sessionSettings(statement string) []SessionSetting {
	return []SessionSetting{
		{"statement_timeout", statement},
		{"idle_in_transaction_session_timeout", "60s"},
		{"client_connection_check_interval", "10s"},
	}
}

// Passwords are the passwords of the roles; "" leaves a role's password unchanged.
type Passwords struct {
	App         string `env:"LOADBAY_APP_PASSWORD"`
	Maintenance string `env:"LOADBAY_MAINTENANCE_PASSWORD"`
	Operator    string `env:"LOADBAY_OPERATOR_PASSWORD"`
}

// Roles returns the roles that the migrations grant to.
func Roles(p Passwords) []Role {
	return []Role{
		{Name: "loadbay_app", Password: p.App, Settings: sessionSettings("60s")},
		{Name: "loadbay_maintenance", Password: p.Maintenance, Settings: sessionSettings("60s")},
		{Name: "loadbay_operator", Password: p.Operator, Settings: sessionSettings("20s")},
	}
}

// Migrations wait for locks only briefly: while one waits for a table that an export reads, every
// other statement on the table waits behind it. The pause lets those statements pass.
const (
	lockTimeout   = "5s"
	lockPause     = 5 * time.Second
	lockAttempts  = 60 // ten minutes
	lockNotInTime = "55P03"
	deadlock      = "40P01"
)

// Migrate creates the roles and the schemas, and applies the missing migrations. It connects as an
// administrator. Concurrent calls wait for each other. It continues after a lock that was not
// obtained in time, with the migration that needs it.
func Migrate(ctx context.Context, administrator *pgx.ConnConfig, roles []Role) (applied []string, err error) {
	config := administrator.Copy()
	config.RuntimeParams["lock_timeout"] = lockTimeout
	m := &migration{administrator: config, roles: roles}
	for attempt := 1; ; attempt++ {
		more, err := m.run(ctx)
		applied = append(applied, more...)
		var failed *pgconn.PgError
		if !errors.As(err, &failed) || failed.Code != lockNotInTime && failed.Code != deadlock || attempt == lockAttempts {
			return applied, err
		}
		select {
		case <-ctx.Done():
			return applied, err
		case <-time.After(lockPause):
		}
	}
}

// migration is a call of Migrate.
type migration struct {
	administrator *pgx.ConnConfig
	roles         []Role
	// reconnected is set when no session is left that has an earlier search path.
	reconnected bool
}

// run is one attempt. It also returns what it applied before an error.
func (m *migration) run(ctx context.Context) (applied []string, err error) {
	db := stdlib.OpenDB(*m.administrator)
	defer db.Close()
	if applied, err = m.leavePublic(ctx, db); err != nil {
		return applied, err
	}
	if err := prepare(ctx, db, m.roles, searchpath.Path); err != nil {
		return applied, err
	}
	more, err := m.up(ctx, searchpath.Path, migrations.ForLoadbay(), "loadbay."+goose.DefaultTablename, latest)
	return append(applied, more...), err
}

// latest stands for all migrations.
const latest = math.MaxInt64

// up applies the migrations to a version with a search path.
func (m *migration) up(ctx context.Context, path string, files fs.FS, table string, version int64) ([]string, error) {
	db := stdlib.OpenDB(*withPath(m.administrator, path))
	defer db.Close()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker), goose.WithTableName(table))
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	results, err := provider.UpTo(ctx, version)
	var partial *goose.PartialError
	if errors.As(err, &partial) {
		results = partial.Applied
	}
	applied := make([]string, len(results))
	for i, r := range results {
		applied[i] = r.Source.Path
	}
	if err != nil {
		return applied, fmt.Errorf("migrate: %w", err)
	}
	return applied, nil
}

// rolesLock serialises the creation of roles, which belong to the whole cluster. It is an
// arbitrary number that nothing else uses.
const rolesLock = 7_306_001

// prepare creates or updates the roles, with the search path of their sessions in this database,
// and creates the schemas.
func prepare(ctx context.Context, db *sql.DB, roles []Role, path string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("migrate roles: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it has nothing to do
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, rolesLock); err != nil {
		return fmt.Errorf("migrate roles: %w", err)
	}
	for _, r := range roles {
		if err := ensureRole(ctx, tx, r); err != nil {
			return fmt.Errorf("migrate role %s: %w", r.Name, err)
		}
	}
	for _, r := range roles {
		err := execFormatted(ctx, tx, `SELECT format('ALTER ROLE %I IN DATABASE %I SET search_path = `+path+`', $1::text, current_database())`, r.Name)
		if err != nil {
			return fmt.Errorf("migrate role %s: %w", r.Name, err)
		}
	}
	for _, name := range []string{"loadbay", "sample"} {
		var exists bool
		if err := tx.QueryRowContext(ctx, `SELECT to_regnamespace($1) IS NOT NULL`, name).Scan(&exists); err != nil {
			return fmt.Errorf("migrate schema %s: %w", name, err)
		}
		if exists {
			continue // CREATE SCHEMA IF NOT EXISTS needs the right to create one
		}
		if _, err := tx.ExecContext(ctx, `CREATE SCHEMA `+name); err != nil {
			return fmt.Errorf("migrate schema %s: %w", name, err)
		}
	}
	return tx.Commit()
}

// ensureRole creates or updates the role. Utility statements take no parameters, so Postgres
// quotes the values itself.
func ensureRole(ctx context.Context, tx *sql.Tx, r Role) error {
	var exists bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)`, r.Name).Scan(&exists); err != nil {
		return err
	}
	verb := "CREATE"
	if exists {
		verb = "ALTER"
	}
	statements := []string{`SELECT format('` + verb + ` ROLE %I LOGIN', $1::text) WHERE $2::text IS NOT NULL`}
	if r.Password != "" {
		statements = append(statements, `SELECT format('ALTER ROLE %I PASSWORD %L', $1::text, $2::text)`)
	}
	for _, statement := range statements {
		if err := execFormatted(ctx, tx, statement, r.Name, r.Password); err != nil {
			return err
		}
	}
	for _, bound := range r.Settings {
		if err := execFormatted(ctx, tx, `SELECT format('ALTER ROLE %I SET %I = %L', $1::text, $2::text, $3::text)`, r.Name, bound.Name, bound.Value); err != nil {
			return err
		}
	}
	var rds bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'rds_iam')`).Scan(&rds); err != nil || !rds {
		return err
	}
	return execFormatted(ctx, tx, `SELECT format('GRANT rds_iam TO %I', $1::text) WHERE $2::text IS NOT NULL`, r.Name, "")
}

func execFormatted(ctx context.Context, tx *sql.Tx, format string, args ...any) error {
	var statement string
	if err := tx.QueryRowContext(ctx, format, args...).Scan(&statement); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, statement)
	return err
}
