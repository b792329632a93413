package postgres_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// sleepingServer starts a proxy in front of Postgres that accepts connections and does not answer
// until wake is called, like Aurora at 0 ACU. It returns the proxy's address.
func sleepingServer(t *testing.T, address string) (through string, asked <-chan struct{}, wake func()) {
	t.Helper()
	server, err := url.Parse(address)
	require.NoError(t, err)
	behind := server.Host
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	awake, accepted := make(chan struct{}), make(chan struct{}, 100)
	t.Cleanup(func() { cancel(); listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- struct{}{}
			go forward(ctx, client, behind, awake)
		}
	}()
	server.Host = listener.Addr().String()
	return server.String(), accepted, func() { close(awake) }
}

func forward(ctx context.Context, client net.Conn, behind string, awake <-chan struct{}) {
	defer client.Close()
	select {
	case <-ctx.Done():
		return
	case <-awake:
	}
	backend, err := net.Dial("tcp", behind)
	if err != nil {
		return
	}
	defer backend.Close()
	context.AfterFunc(ctx, func() { backend.Close(); client.Close() })
	go func() { _, _ = io.Copy(backend, client); backend.Close() }()
	_, _ = io.Copy(client, backend)
}

// A worker's connection waits until the database has resumed. A connection for a request fails
// after its timeout, and wakes the database all the same.
func TestConnectWaitsForSleepingDatabase(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	address, asked, wake := sleepingServer(t, d.AppURL)
	connect := func(timeout time.Duration) *postgres.DB {
		db, err := postgres.Open(t.Context(), postgres.Config{URL: address, Connections: 1, ConnectTimeout: timeout})
		require.NoError(t, err)
		t.Cleanup(db.Close)
		return db
	}
	impatient, worker := connect(time.Second), connect(45*time.Second)
	nothing := func(pgx.Tx) error { return nil }
	require.ErrorIs(t, impatient.InOrganisation(t.Context(), 1, nothing), context.DeadlineExceeded)
	<-asked
	done := make(chan error)
	go func() { done <- worker.InOrganisation(t.Context(), 1, nothing) }()
	<-asked
	wake()
	require.NoError(t, <-done)
	require.Eventually(t, func() bool { return impatient.InOrganisation(t.Context(), 1, nothing) == nil }, time.Minute, time.Millisecond, "the database is awake, even on a slow machine")
}

// Lambda freezes functions with open connections. The server closes the connections, because
// they would keep it awake, and a thawed function opens new ones.
func TestIdleConnectionsAreReplaced(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	db, err := postgres.Open(t.Context(), postgres.Config{URL: d.AppURL + "&idle_session_timeout=1500&application_name=frozen", Connections: 2})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	for range 2 {
		require.NoError(t, db.InOrganisation(t.Context(), 1, func(pgx.Tx) error { return nil }))
		require.Equal(t, 1, connected(t, d))
		assert.Eventually(t, func() bool { return connected(t, d) == 0 }, time.Minute, 20*time.Millisecond)
	}
}

func connected(t *testing.T, d *postgrestest.Database) int {
	t.Helper()
	return postgrestest.Query[int](t, d, `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'frozen' AND datname = current_database()`)
}

// Every committed transaction has been announced; one that cannot be announced is rolled back.
func TestBeforeCommitErrorRollsBack(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	var inside pgx.Tx
	var announced int
	var broken error
	db, err := postgres.Open(t.Context(), postgres.Config{URL: d.AppURL, Connections: 1, BeforeCommit: func(context.Context) error {
		require.Equal(t, byte('T'), inside.Conn().PgConn().TxStatus(), "the hook runs inside the transaction")
		announced++
		return broken
	}})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	write := func(tx pgx.Tx) error {
		inside = tx
		_, err := tx.Exec(t.Context(), `UPDATE organisations SET name = 'Renamed' WHERE id = 1`)
		return err
	}
	count := func() int {
		return postgrestest.Query[int](t, d, `SELECT count(*) FROM organisations WHERE name = 'Renamed'`)
	}
	d.Exec(t, `GRANT UPDATE ON organisations TO loadbay_app`)
	broken = errors.New("away")
	require.ErrorIs(t, db.InOrganisation(t.Context(), 1, write), broken)
	require.Zero(t, count())
	broken = nil
	require.NoError(t, db.InOrganisation(t.Context(), 1, write))
	require.Equal(t, 1, count())
	require.NoError(t, db.AcrossOrganisations(t.Context(), func(tx pgx.Tx) error { inside = tx; return nil }))
	require.Equal(t, 3, announced)
	require.NoError(t, db.InSnapshot(t.Context(), 1, func(pgx.Tx) error { return nil }))
	require.Error(t, db.InOrganisation(t.Context(), 1, func(pgx.Tx) error { return errors.New("refused") }))
	require.Equal(t, 3, announced)
}
