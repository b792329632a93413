package process_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// newUsers returns a file of users that no other file contains.
func newUsers(round, rows, chunkRows int) importFile {
	f := importFile{mode: rowwrite.Insert, fields: []string{"EMAIL", "NAME"}, chunkRows: chunkRows}
	for i := range rows {
		f.rows = append(f.rows, []string{fmt.Sprintf("r%d.%d@x.org", round, i), "N"})
	}
	return f
}

// The splitter may be the last one, too.
func TestExactlyOneCallerSeesTheEnd(t *testing.T) {
	t.Parallel()
	r := setup(t)
	for round := range 15 {
		run := r.splitFile(t, newUsers(round, 6, 1))
		var splitter int
		var group errgroup.Group
		group.Go(func() error {
			p, err := r.complete(t.Context(), run)
			if p.RowsDone() {
				splitter = 1
			}
			return err
		})
		for _, c := range run.chunks {
			group.Go(func() error { return r.step.Run(t.Context(), c) })
		}
		require.NoError(t, group.Wait())
		require.Equal(t, 1, r.ends[run.ID]+splitter, "round %d", round)
		require.True(t, r.ReadJob(t, run.ID).Progress.CallbackPending)
	}
}

// A cancellation races with the chunks and comes before or after each of them. The rows written
// until then remain, and the counters, the ledger and the table agree.
func TestNoWriteAfterCancellation(t *testing.T) {
	t.Parallel()
	random := newRandom(t)
	r := setup(t)
	const chunks, chunkRows = 5, 3
	seen := map[int64]int{} // rounds by the number of remaining rows
	for round := range 25 {
		run := r.splitAndComplete(t, newUsers(round, chunks*chunkRows, chunkRows))
		after := random.IntN(chunks + 1) // chunks that are certainly done before the cancellation
		begin := make(chan struct{})
		var processed atomic.Int64
		r.onRowsDone = func(*job.Job, job.Progress) error {
			if processed.Add(1) == int64(after) {
				close(begin)
			}
			return nil
		}
		if after == 0 {
			close(begin)
		}
		var group errgroup.Group
		var atCancel int64
		var cancelled bool
		group.Go(func() error {
			<-begin
			return r.DB.InOrganisation(context.Background(), 1, func(tx pgx.Tx) error {
				_, ok, err := r.DB.Transition(context.Background(), tx, run.Key, job.Transition{To: job.Cancelled})
				if err != nil {
					return err
				}
				cancelled = ok
				return tx.QueryRow(context.Background(), `SELECT count(*) FROM users WHERE source_job = $1`, run.Key).Scan(&atCancel)
			})
		})
		for _, c := range run.chunks {
			group.Go(func() error { return r.step.Run(context.Background(), c) })
		}
		require.NoError(t, group.Wait())
		written := postgrestest.Query[int64](t, r.Database, `SELECT count(*) FROM users WHERE source_job = $1`, run.Key)
		require.Equal(t, atCancel, written, "round %d: no rows after the cancellation", round)
		require.GreaterOrEqual(t, written, int64(after*chunkRows))
		require.Zero(t, written%chunkRows, "a chunk is written completely or not at all")
		j := r.ReadJob(t, run.ID)
		if cancelled {
			require.Equal(t, job.Cancelled, j.Status)
			require.Less(t, written, int64(chunks*chunkRows), "the cancellation came before the last chunk")
		} else {
			require.Equal(t, job.Processing, j.Status)
			require.Equal(t, int64(chunks*chunkRows), written, "the cancellation came after the last chunk")
		}
		require.Equal(t, job.Counts{Created: written}, j.Progress.Counts)
		require.Len(t, r.doneOutcomes(t, run), int(written))
		seen[written]++
	}
	t.Logf("rows written before the cancellation: %v", seen)
}

// doneOutcomes returns the ledger's outcomes of finished chunks.
func (r *harness) doneOutcomes(t *testing.T, run *splitImport) string {
	t.Helper()
	return postgrestest.Query[string](t, r.Database, `
		SELECT coalesce(string_agg(convert_from(outcomes, 'UTF8'), ''), '') FROM import_chunks WHERE job_id = $1 AND done`, run.Key)
}

// Two imports write the same entities in opposite order, and each pauses after its first one.
// Postgres aborts one of the transactions to resolve the deadlock, and it is retried.
func TestDeadlockedChunksAreBothWritten(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.Exec(t, `
		CREATE FUNCTION dwell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END $$;
		CREATE TRIGGER dwell BEFORE INSERT ON users FOR EACH ROW WHEN (NEW.source_row = 3) EXECUTE FUNCTION dwell()`)
	const rows = 50
	first, second := newUsers(0, rows, rows), newUsers(0, rows, rows)
	first.mode, second.mode = rowwrite.Upsert, rowwrite.Upsert
	slices.Reverse(second.rows)
	for i := range rows {
		first.rows[i][1], second.rows[i][1] = "first", "second"
	}
	a, b := r.splitAndComplete(t, first), r.splitAndComplete(t, second)
	var both sync.WaitGroup
	both.Add(2)
	r.onRead = func(string) { both.Done(); both.Wait() } // both begin to write at the same time
	r.deliver(t, 2, append(a.chunks, b.chunks...))
	require.Greater(t, r.claims.Load(), int64(2), "one of the chunks was retried")
	created := int64(0)
	for _, run := range []*splitImport{a, b} {
		r.requireCounters(t, run, r.outcomes(t, run))
		created += r.ReadJob(t, run.ID).Progress.Counts.Created
	}
	require.Equal(t, int64(rows), created)
	require.Equal(t, int64(rows), postgrestest.Query[int64](t, r.Database, `SELECT count(*) FROM users`))
	require.Len(t, postgrestest.Query[[]string](t, r.Database, `SELECT array_agg(DISTINCT name) FROM users`), 1, "the last of the chunks wins in all rows")
}

// resume matches all values to membership type 1, and runs the deferred rows again.
func (r *harness) resume(t *testing.T, run *splitImport) {
	t.Helper()
	r.Exec(t, `UPDATE import_cell_mappings SET status = 'MANUAL_MATCHED', target_entity_id = '1'`)
	require.NoError(t, r.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		if _, _, err := r.DB.Transition(t.Context(), tx, run.Key, job.Transition{To: job.Processing}); err != nil {
			return err
		}
		_, err := r.DB.ReopenDeferred(t.Context(), tx, run.Key)
		return err
	}))
}

// Both chunks contain a row that waited for a decision. While the second chunk is processed for
// that row, the first one displaces another of its rows.
func TestDisplacedRowSurvivesChunkRetry(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.Exec(t, `
		INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (1, 1, '2026', '2026-01-01', '2026-12-31');
		INSERT INTO membership_types (id, organisation_id, name) VALUES (1, 1, 'Senior')`)
	run := r.splitAndComplete(t, importFile{
		kind: "MEMBERSHIP", mode: rowwrite.Insert, period: 1, chunkRows: 2,
		fields: []string{"ID_NUMBER", "FIRST_NAME", "LAST_NAME", "MEMBERSHIP_TYPE_ID"},
		rows: [][]string{
			{"x@x.org", "X", "first", "Veteran"}, {"z@x.org", "Z", "Z", "Senior"},
			{"x@x.org", "X", "second", "Senior"}, {"y@x.org", "Y", "Y", "Veteran"},
		},
	})
	r.Exec(t, `UPDATE import_jobs SET auto_start = false`)
	r.deliver(t, 1, run.chunks)
	require.Equal(t, "DCCD", r.doneOutcomes(t, run))
	require.Equal(t, job.CellMapping, r.ReadJob(t, run.ID).Status)
	r.resume(t, run)
	r.onRead = func(chunk string) {
		if strings.Contains(chunk, "y@x.org") {
			r.deliver(t, 1, run.chunks[:1])
		}
	}
	r.deliver(t, 1, run.chunks[1:])
	want := []string{"CREATED", "CREATED", "ERROR ROW_DUPLICATE", "CREATED"}
	require.Equal(t, want, r.outcomes(t, run))
	r.requireCounters(t, run, want)
	require.Equal(t, "first", postgrestest.Query[string](t, r.Database, `SELECT last_name FROM persons WHERE identity_number = 'x@x.org'`))
}
