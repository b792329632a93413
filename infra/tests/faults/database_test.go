package faults

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/intercept"
)

// connectAdmin connects as the administrator, bypassing the Interceptor.
func (r *harness) connectAdmin(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), r.DatabaseURL(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// exec runs SQL as the administrator.
func (r *harness) exec(t *testing.T, sql string) {
	t.Helper()
	_, err := r.connectAdmin(t).PgConn().Exec(context.Background(), sql).ReadAll()
	require.NoError(t, err)
}

// createTrigger runs body before users are inserted, for each row or statement, until
// the test ends.
func (r *harness) createTrigger(t *testing.T, each, body string) {
	t.Helper()
	r.exec(t, `
		CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN `+body+`; RETURN NEW; END $$;
		CREATE TRIGGER fault BEFORE INSERT ON users FOR EACH `+each+` EXECUTE FUNCTION fault()`)
	t.Cleanup(func() { r.exec(t, `DROP FUNCTION fault CASCADE`) })
}

// The server ends while a chunk is being written; the stack restarts it, as RDS
// would.
func postgresRestarts(signal syscall.Signal) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		const chunks = 4
		var seen, receives atomic.Int64
		r.OnSQL(t, func(s *intercept.Statement) func() {
			if s.Function == "process" && strings.Contains(s.SQL, readChunkSQL) {
				receives.Add(1)
			}
			if s.Function == "process" && strings.Contains(s.SQL, advanceSQL) && seen.Add(1) == 2 {
				if err := syscall.Kill(r.postmasterPID(t), signal); err != nil {
					t.Error(err)
				}
			}
			return nil
		})
		id := r.startImport(t, r.usersFile(chunks*chunkRows))
		r.requireAllCreated(t, id, chunks*chunkRows) // none reaches the dead-letter queue after five receives
		t.Logf("%d chunks received %d times", chunks, receives.Load())
	}
}

// postmasterPID returns the process id of the database server.
func (r *harness) postmasterPID(t *testing.T) int {
	text, err := os.ReadFile(filepath.Join(r.Dir, "postgres", "data", "postmaster.pid"))
	if err != nil {
		t.Error(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Error(err)
	}
	return pid
}

// The connection is lost at a point of a chunk's transaction, or the response to
// its commit is lost and the outcome is unknown.
func connectionLost(point func(*intercept.Statement) bool, answered bool) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		var lost atomic.Int64
		r.OnSQL(t, func(s *intercept.Statement) func() {
			if s.Function != "process" || !point(s) || lost.Add(1) > 1 {
				return nil
			}
			if answered {
				return s.Disconnect
			}
			s.Disconnect()
			return nil
		})
		id := r.startImport(t, r.usersFile(2*chunkRows))
		r.requireAllCreated(t, id, 2*chunkRows)
		require.Positive(t, lost.Load())
	}
}
