// Package postgrestest creates a real, migrated database for each test.
//
// Tested by shared/postgres and shared/aws/rds: every test with a database or a certificate.
package postgrestest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/postgres/searchpath"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

const (
	template = "loadbay_template"
	owner    = "loadbay_owner"
	password = "only-for-tests"
)

// server is the Postgres server for all tests of a program. It ends with the program.
var server = sync.OnceValues(start)

// cluster are the superuser's connections that create and drop the databases.
var cluster *pgxpool.Pool

var databases atomic.Int64

func start() (*pglaunch.Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s, err := pglaunch.StartTemporary(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.EnsureMasterRole(ctx, owner, password, template); err != nil {
		return nil, err
	}
	administrator, err := pgx.ParseConfig(s.URL(owner, password, template))
	if err != nil {
		return nil, err
	}
	if cluster, err = openAdmin(s.AdminURL("")); err != nil {
		return nil, err
	}
	passwords := schema.Passwords{App: password, Maintenance: password, Operator: password}
	if _, err := schema.Migrate(ctx, administrator, schema.Roles(passwords)); err != nil {
		return nil, err
	}
	return s, nil
}

// openAdmin returns connections of the superuser, which are opened on first use. A new connection
// for each statement would cost more than most statements.
func openAdmin(url string) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	c.MaxConns = 8
	c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec // tests change tables
	return pgxpool.NewWithConfig(context.Background(), c)
}

// Database is a database with the schema and two organisations, 1 and 2.
type Database struct {
	// DB connects like the functions, under row level security.
	DB *postgres.DB
	// Maintenance connects like reconcile and purge.
	Maintenance *postgres.DB
	// Operator connects like the function that creates organisations.
	Operator *postgres.DB
	// AdminURL is the superuser's URL, which bypasses row level security. Tests use it for
	// preparation and checks; the product never does.
	AdminURL string
	// OwnerURL is the URL of the schema's owner, which corresponds to the master user of RDS.
	OwnerURL string
	// AppURL is the URL of DB.
	AppURL string

	admin *pgxpool.Pool
}

// Setup returns a database that is dropped when the test ends.
func Setup(t testing.TB) *Database {
	t.Helper()
	s, err := server()
	require.NoError(t, err, "start Postgres")
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), databases.Add(1))
	ctx := context.Background()
	_, err = cluster.Exec(ctx, fmt.Sprintf("CREATE DATABASE %s OWNER %s TEMPLATE %s STRATEGY file_copy", name, owner, template))
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := cluster.Exec(ctx, fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name))
		require.NoError(t, err)
	})
	for _, r := range schema.Roles(schema.Passwords{}) { // which a template does not pass on
		_, err = cluster.Exec(ctx, fmt.Sprintf("ALTER ROLE %s IN DATABASE %s SET search_path = %s", r.Name, name, searchpath.Path))
		require.NoError(t, err)
	}
	d := &Database{
		AdminURL: searchpath.In(s.AdminURL(name)), OwnerURL: searchpath.In(s.URL(owner, password, name)), AppURL: s.URL("loadbay_app", password, name),
	}
	d.admin, err = openAdmin(d.AdminURL)
	require.NoError(t, err)
	t.Cleanup(d.admin.Close)
	d.Exec(t, `INSERT INTO organisations (id, name) VALUES (1, 'One'), (2, 'Two')`)
	d.Exec(t, `UPDATE organisations SET whole_tables = true, whole_tables_granted = true WHERE id = 1`) // by an operator
	d.DB = open(t, d.AppURL)
	d.Maintenance = open(t, s.URL("loadbay_maintenance", password, name))
	d.Operator = open(t, s.URL("loadbay_operator", password, name))
	return d
}

func open(t testing.TB, url string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(context.Background(), postgres.Config{URL: recorded(t, url), Connections: 8})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

// Exec runs statements as the superuser.
func (d *Database) Exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := d.admin.Exec(context.Background(), sql, args...)
	require.NoError(t, err)
}

// Query returns one value, read as the superuser.
func Query[T any](t testing.TB, d *Database, sql string, args ...any) T {
	t.Helper()
	var v T
	require.NoError(t, d.admin.QueryRow(context.Background(), sql, args...).Scan(&v))
	return v
}
