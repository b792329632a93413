package faults

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// attemptCounts counts how often chunks are delivered and how often their transactions run.
type attemptCounts struct{ deliveries, transactions atomic.Int64 }

func (n *attemptCounts) count(s *intercept.Statement) func() {
	switch {
	case s.Function != "process":
	case strings.Contains(s.SQL, claimChunkSQL):
		n.transactions.Add(1)
	case strings.Contains(s.SQL, readChunkSQL):
		n.deliveries.Add(1)
	}
	return nil
}

// Another connection locks a user that the chunk needs, and then waits for the ledger
// entry that the chunk has locked: Postgres aborts the chunk's transaction, which is
// retried.
func deadlock(t *testing.T, r *harness) {
	file, tag := r.repeatedUsersFile(1)
	r.requireOutcome(t, r.startImport(t, file), rawclient.Summary{Created: chunkRows})
	ctx := context.Background()
	other, err := r.connectAdmin(t).Begin(ctx)
	require.NoError(t, err)
	_, err = other.Exec(ctx, `SET LOCAL deadlock_timeout = '10min'`) // the first to check becomes the victim
	require.NoError(t, err)
	_, err = other.Exec(ctx, `UPDATE users SET role = 'other' WHERE email = $1`, tag+".7@example.org")
	require.NoError(t, err)
	var n attemptCounts
	r.OnSQL(t, n.count)
	id := r.uploadFile(t, rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", AutoStart: true, Mode: "upsert"}, strings.ReplaceAll(file, "chunk 0", "again"))
	r.Await(t, "the chunk's transaction waits for a lock", func() bool { return r.isWaitingForLock(t) })
	_, err = other.Exec(ctx, `SELECT FROM import_chunks WHERE job_id = (SELECT id FROM import_jobs WHERE uuid = $1) FOR UPDATE`, id)
	require.NoError(t, err, "Postgres ends the chunk's transaction, not the other one")
	require.NoError(t, other.Commit(ctx))
	r.requireOutcome(t, id, rawclient.Summary{Updated: chunkRows})
	require.Equal(t, []string{"again"}, r.distinctNames(t, tag))
	require.Equal(t, int64(1), n.deliveries.Load(), "the retry runs in the same invocation, without a redelivery")
	// The retry may lock the ledger entry again before the other transaction awakes.
	require.Greater(t, n.transactions.Load(), int64(1))
}

// isWaitingForLock reports whether a function's transaction waits for another transaction.
func (r *harness) isWaitingForLock(t *testing.T) bool {
	return stacktest.Query[bool](t, r.Stack, `
		SELECT EXISTS (SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND usename = 'loadbay_app')`)
}

// The database aborts the transaction that many times. One delivery makes four
// attempts; then the message is delivered again.
func serializationFailure(failures, deliveries int64) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		r.exec(t, `CREATE SEQUENCE refusals`) // a sequence keeps its value when a transaction is rolled back
		t.Cleanup(func() { r.exec(t, `DROP SEQUENCE refusals`) })
		r.createTrigger(t, "STATEMENT", fmt.Sprintf(`IF nextval('refusals') <= %d THEN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'; END IF`, failures))
		var n attemptCounts
		r.OnSQL(t, n.count)
		id := r.startImport(t, r.usersFile(chunkRows))
		r.requireAllCreated(t, id, chunkRows)
		require.Equal(t, failures+1, n.transactions.Load())
		require.Equal(t, deliveries, n.deliveries.Load())
	}
}

// Each row is so slow that the whole chunk exceeds the statement timeout.
func statementTimeout(t *testing.T, r *harness) {
	r.limitStatements(t, "1s")
	r.createTrigger(t, "ROW", `PERFORM pg_sleep(0.08)`)
	var inserts, commits atomic.Int64
	var n attemptCounts
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if isChunkCommit(s) {
			commits.Add(1)
			inserts.Store(int64(strings.Count(s.Earlier, "INSERT INTO users")))
		}
		return n.count(s)
	})
	id := r.startImport(t, r.usersFile(chunkRows))
	r.requireAllCreated(t, id, chunkRows)
	require.Equal(t, int64(1), n.deliveries.Load())
	require.Equal(t, int64(1), commits.Load(), "the chunk is still one transaction")
	require.GreaterOrEqual(t, inserts.Load(), int64(3), "the chunk is inserted whole, then in halves")
}

// limitStatements changes the statement timeout of the functions until the test ends.
// It applies to new connections.
func (r *harness) limitStatements(t *testing.T, limit string) {
	t.Helper()
	const reconnect = `; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'process.%'`
	before := stacktest.Query[string](t, r.Stack, `SELECT split_part(unnest(rolconfig), '=', 2) FROM pg_roles WHERE rolname = 'loadbay_app'`)
	r.exec(t, `ALTER ROLE loadbay_app SET statement_timeout = '`+limit+`'`+reconnect)
	t.Cleanup(func() { r.exec(t, `ALTER ROLE loadbay_app SET statement_timeout = '`+before+`'`+reconnect) })
}

// The database rejects a row for an unforeseen reason.
func poisonRow(t *testing.T, r *harness) {
	const chunks, poisoned = 3, 2 + chunkRows + 6 // line number in the file
	r.createTrigger(t, "ROW", `IF NEW.name = 'poison' THEN RAISE EXCEPTION 'no such thing'; END IF`)
	lines := strings.Split(r.usersFile(chunks*chunkRows), "\n")
	email, _, _ := strings.Cut(lines[poisoned-1], ",")
	lines[poisoned-1] = email + ",poison"
	id := r.startImport(t, strings.Join(lines, "\n"))
	r.requireOutcome(t, id, rawclient.Summary{Created: chunks*chunkRows - 1, Error: 1})
	failed, err := r.Results(t.Context(), id, "ERROR", 0, 10)
	require.NoError(t, err)
	require.Len(t, failed, 1)
	require.Equal(t, int64(poisoned), failed[0].RowNumber)
	require.Equal(t, "ROW_REJECTED", failed[0].Faults[0].Code)
	require.NotContains(t, failed[0].Message+failed[0].Faults[0].Message, "no such thing", "the database's message appears only in the log")
	require.Equal(t, int64(chunks*chunkRows-1), r.countWritten(t, id))
}
