package schema_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/migrations"
	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// inPublic starts a server with a database as the last release before the move left it.
func inPublic(t *testing.T) (*pglaunch.Server, *pgx.ConnConfig) {
	t.Helper()
	server, err := pglaunch.StartTemporary(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	_, err = server.EnsureMasterRole(t.Context(), "the_owner", "only-for-tests", "owned")
	require.NoError(t, err)
	_, err = connect(t, server.URL("the_owner", "only-for-tests", "owned")).Exec(t.Context(), `
		CREATE ROLE loadbay_app LOGIN PASSWORD 'only-for-tests'; CREATE ROLE loadbay_maintenance LOGIN; CREATE ROLE loadbay_operator LOGIN`)
	require.NoError(t, err)
	owner, err := pgx.ParseConfig(server.URL("the_owner", "only-for-tests", "owned"))
	require.NoError(t, err)
	db := stdlib.OpenDB(*owner)
	defer db.Close()
	released, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	require.NoError(t, err)
	_, err = released.UpTo(t.Context(), 76)
	require.NoError(t, err)
	return server, owner
}

// Functions of the release before the move have no search path, keep their sessions and prepare
// statements. Each transaction of theirs commits once or fails because its connection ended, before
// and after the move, and while a table is in use and the migration has to try again.
func TestTablesMoveWhileFunctionsWrite(t *testing.T) {
	t.Parallel()
	server, owner := inPublic(t)
	observer := observe(t, server, "owned")
	_, err := observer.Exec(t.Context(), `INSERT INTO organisations (id, name) VALUES (1, 'One')`)
	require.NoError(t, err)
	pool, err := pgxpool.New(t.Context(), server.URL("loadbay_app", "only-for-tests", "owned"))
	require.NoError(t, err)
	t.Cleanup(pool.Close)

	writing, stop := context.WithCancel(t.Context())
	group, failed := errgroup.WithContext(t.Context())
	var ended atomic.Int64
	committed := make([]int, 4)
	for worker := range committed {
		group.Go(func() error {
			for writing.Err() == nil {
				email := fmt.Sprintf("%d-%d@example.org", worker, committed[worker])
				err := pgx.BeginTxFunc(t.Context(), pool, pgx.TxOptions{BeginQuery: `BEGIN; SELECT set_config('app.organisation', '1', true)`}, func(tx pgx.Tx) error {
					_, err := tx.Exec(t.Context(), `INSERT INTO users (organisation_id, email, name) VALUES (1, $1, 'x')`, email)
					return err
				})
				var refused *pgconn.PgError
				switch {
				case err == nil:
					committed[worker]++
				case !errors.As(err, &refused), refused.Code == "57P01", refused.Code == "40P01":
					// The connection has ended, perhaps after the commit, so the row is not repeated blindly.
					ended.Add(1)
					found, err := isStored(t, server, email)
					if err != nil {
						return err
					}
					if found {
						committed[worker]++
					}
				default:
					return err
				}
			}
			return nil
		})
	}
	busy, err := connect(t, server.AdminURL("owned")).Begin(t.Context())
	require.NoError(t, err)
	_, err = busy.Exec(t.Context(), `SELECT FROM public.orders`)
	require.NoError(t, err)
	time.AfterFunc(6*time.Second, func() { _ = busy.Rollback(context.Background()) })

	applied, err := schema.Migrate(t.Context(), owner, schema.Roles(schema.Passwords{}))
	require.NoError(t, err)
	require.Contains(t, applied, "0077_schemas.sql")
	moved := count(t, observer)
	require.Eventually(t, func() bool { return count(t, observer) >= moved+100 || failed.Err() != nil }, time.Minute, 20*time.Millisecond)
	stop()
	require.NoError(t, group.Wait())
	require.LessOrEqual(t, ended.Load(), int64(2*len(committed)), "sessions end once")
	sum := 0
	for _, n := range committed {
		sum += n
	}
	require.Equal(t, sum, count(t, observer))

	var names []string
	require.NoError(t, observer.QueryRow(t.Context(), `SELECT array_agg(DISTINCT relkind::text) FROM pg_class WHERE relnamespace = 'public'::regnamespace`).Scan(&names))
	require.Equal(t, []string{"v"}, names, "only the views for undos of the earlier release are left")
	requireDocument(t, heading+describe(t, observer))
}

func count(t *testing.T, conn *pgx.Conn) (n int) {
	t.Helper()
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM users`).Scan(&n))
	return n
}

// isStored looks for a user as the superuser, in a session of its own.
func isStored(t *testing.T, server *pglaunch.Server, email string) (found bool, err error) {
	conn, err := pgx.Connect(t.Context(), server.AdminURL("owned"))
	if err != nil {
		return false, err
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `SET search_path = loadbay, sample, public`); err != nil {
		return false, err
	}
	err = conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM users WHERE email = $1)`, email).Scan(&found)
	return found, err
}

// An undo of the earlier release would keep all values of a table that it does not find. It fails,
// because a view has the table's name.
func TestEarlierUndoFailsAfterMove(t *testing.T) {
	t.Parallel()
	server, owner := inPublic(t)
	_, err := schema.Migrate(t.Context(), owner, schema.Roles(schema.Passwords{}))
	require.NoError(t, err)
	app := connect(t, server.URL("loadbay_app", "only-for-tests", "owned"))
	var columns []string
	require.NoError(t, app.QueryRow(t.Context(), `
		SELECT array_agg(a.attname)
		FROM pg_class AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.relnamespace = 'public'::regnamespace AND c.relname = 'users'
		  AND EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = c.oid AND t.tgname = 'capture_inserts')`).Scan(&columns))
	require.Equal(t, []string{"moved_by_loadbay"}, columns)
	_, err = app.Exec(t.Context(), `SELECT moved_by_loadbay FROM users`)
	require.ErrorContains(t, err, "42703")

	// After a rollback, migrate of the earlier release finds its version table.
	db := stdlib.OpenDB(*owner)
	t.Cleanup(func() { _ = db.Close() })
	released, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	require.NoError(t, err)
	applied, err := released.UpTo(t.Context(), 76)
	require.NoError(t, err)
	require.Empty(t, applied)
}
