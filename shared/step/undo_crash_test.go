package step_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/complete"
	"github.com/loadbay/loadbay/shared/step/undo"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

var errCrash = errors.New("crash")

// crashingDB is a database that stops working at a transaction: before or after the commit.
type crashingDB struct {
	*postgres.DB
	remaining   int // transactions until the crash
	afterCommit bool
}

func (c *crashingDB) InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error {
	c.remaining--
	if c.remaining != 0 {
		return c.DB.InOrganisation(ctx, organisation, f)
	}
	err := c.DB.InOrganisation(ctx, organisation, func(tx pgx.Tx) error {
		if err := f(tx); err != nil || c.afterCommit {
			return err
		}
		return errCrash
	})
	return errors.Join(err, errCrash)
}

// beginUndo prepares an undo of an import of seven users in chunks of two, and returns the
// entities before and after the import.
func beginUndo(t *testing.T, preview bool) (e *engine, of, ref job.Ref, before, after entities) {
	t.Helper()
	e = setup(t, 2)
	e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\nb@x.org,Ben,user\nc@x.org,Cid,user\n")
	before = e.entities(t)
	of = e.upsertUsers(t, "Email,Full name,Role\na@x.org,Anna,admin\nb@x.org,Benno,user\nd@x.org,Dan,user\ne@x.org,Eve,user\nf@x.org,Fay,user\na@x.org,Anne,user\nc@x.org,Cem,user\n")
	after = e.entities(t)
	ref, err := e.requestUndo(t, of, rules.Safe, preview)
	require.NoError(t, err)
	_, err = e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	return e, of, ref, before, after
}

func TestCrashedUndoResumes(t *testing.T) {
	t.Parallel()
	for _, preview := range []bool{false, true} {
		for _, late := range []bool{false, true} {
			for n := 1; n <= 7; n++ {
				t.Run(fmt.Sprintf("transaction %d, committed %t, preview %t", n, late, preview), func(t *testing.T) {
					t.Parallel()
					e, _, ref, before, after := beginUndo(t, preview)
					dying := undo.New(&crashingDB{e.DB, n, late}, catalog.New(), telemetry.NewMetrics(io.Discard), time.Minute, telemetry.NewLogger(io.Discard, slog.LevelDebug))
					_, err := dying.Run(t.Context(), ref)
					if n <= 3 || !preview && n <= 6 {
						require.ErrorIs(t, err, errCrash)
					}
					for range 2 { // the second run has nothing left to do
						next, err := e.undoStep().Run(t.Context(), ref)
						require.NoError(t, err)
						require.Equal(t, callback.NextComplete, next.Next)
					}
					require.NoError(t, e.complete.Run(t.Context(), ref))
					if preview {
						before = after
					}
					require.Equal(t, before, e.entities(t))
					require.Equal(t, job.Counts{Updated: 7}, e.job(t, ref).Progress.Counts)
					requireAll(t, e.results(t, ref), " UNDONE")
				})
			}
		}
	}
}

func TestConcurrentUndoRevertsOnce(t *testing.T) {
	t.Parallel()
	for _, preview := range []bool{false, true} {
		t.Run(fmt.Sprintf("preview %t", preview), func(t *testing.T) {
			t.Parallel()
			e, _, ref, before, after := beginUndo(t, preview)
			var group sync.WaitGroup
			for range 3 {
				group.Go(func() {
					_, err := e.undoStep().Run(t.Context(), ref)
					if err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			require.NoError(t, e.complete.Run(t.Context(), ref))
			if preview {
				before = after
			}
			require.Equal(t, before, e.entities(t))
			require.Equal(t, job.Counts{Updated: 7}, e.job(t, ref).Progress.Counts)
		})
	}
}

func TestUndoContinuesAfterTimeout(t *testing.T) {
	t.Parallel()
	e, _, ref, before, _ := beginUndo(t, false)
	ctx, done := context.WithTimeout(t.Context(), 50*time.Second) // less than the reserve
	defer done()
	runs := 1
	for ; ; runs++ {
		next, err := e.undoStep().Run(ctx, ref)
		require.NoError(t, err)
		if next.Next == callback.NextComplete {
			break
		}
	}
	require.Equal(t, 4, runs, "each run reverts one part")
	require.Equal(t, before, e.entities(t))
}

func TestCancelledUndoCanBeUndoneOrContinued(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (e *engine, of, ref job.Ref, before, after entities) {
		e, of, ref, before, after = beginUndo(t, false)
		ctx, done := context.WithTimeout(t.Context(), 50*time.Second)
		defer done()
		_, err := e.undoStep().Run(ctx, ref)
		require.NoError(t, err)
		e.transition(t, e.job(t, ref), job.Cancelled)
		_, err = e.undoStep().Run(t.Context(), ref)
		require.Equal(t, problem.StateConflict, problem.CodeOf(err), "a cancelled undo reverts no more changes")
		require.NotEqual(t, before, e.entities(t))
		require.NotEqual(t, after, e.entities(t))
		return e, of, ref, before, after
	}
	t.Run("continued", func(t *testing.T) {
		t.Parallel()
		e, of, _, before, _ := begin(t)
		rest := e.undo(t, of, rules.Safe)
		require.Equal(t, before, e.entities(t))
		requireAll(t, e.results(t, rest), " UNDONE")
	})
	t.Run("undone", func(t *testing.T) {
		t.Parallel()
		e, _, ref, _, after := begin(t)
		e.undo(t, ref, rules.Safe)
		require.Equal(t, after, e.entities(t))
	})
}

func TestUndoAfterMigration(t *testing.T) {
	t.Parallel()
	e, _, ref, _, _ := beginUndo(t, false)
	e.Exec(t, `ALTER TABLE users ADD COLUMN note text NOT NULL DEFAULT 'none'`)
	_, err := e.undoStep().Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, []string{"a@x.org Ann user", "b@x.org Ben user", "c@x.org Cid user"}, e.names(t))

	e, _, ref, _, _ = beginUndo(t, false)
	e.Exec(t, `ALTER TABLE users DROP COLUMN role`)
	_, err = e.undoStep().Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "a@x.org Ann, b@x.org Ben, c@x.org Cid, d@x.org Dan, e@x.org Eve, f@x.org Fay",
		postgrestest.Query[string](t, e.Database, `SELECT string_agg(email || ' ' || name, ', ' ORDER BY email) FROM users`),
		"the remaining rows are reverted; created rows are kept, as their hashes cannot be compared")
}

func TestUndoIgnoresForeignEntities(t *testing.T) {
	t.Parallel()
	e, of, ref, _, _ := beginUndo(t, false)
	e.Exec(t, `INSERT INTO users (organisation_id, id, email, name) SELECT 2, id, email, name FROM users WHERE organisation_id = 1`)
	foreign := postgrestest.Query[string](t, e.Database, `SELECT jsonb_agg(u ORDER BY id)::text FROM users AS u WHERE organisation_id = 2`)
	_, err := e.requestUndo(t, job.Ref{JobID: of.JobID, OrganisationID: 2}, rules.Safe, false)
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
	_, err = e.undoStep().Run(t.Context(), job.Ref{JobID: ref.JobID, OrganisationID: 2})
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
	_, err = e.undoStep().Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, foreign, postgrestest.Query[string](t, e.Database, `SELECT jsonb_agg(u ORDER BY id)::text FROM users AS u WHERE organisation_id = 2`))
}

// TestCrashedUndoWithRetriesResumes ends the process at each transaction of an undo of an import with
// its retries. The undo continues and ends as without the crash.
func TestCrashedUndoWithRetriesResumes(t *testing.T) {
	t.Parallel()
	crashes := 0
	for _, late := range []bool{false, true} {
		for n := 1; ; n++ {
			e, before, after, of, first, second := retriedImport(t)
			ref, err := e.acceptUndo(t, submit.UndoRequest{Ref: of, Mode: rules.Safe, Retries: true})
			require.NoError(t, err)
			_, err = e.analyze.Run(t.Context(), ref)
			require.NoError(t, err)
			db := &crashingDB{e.DB, n, late}
			dying := undo.New(db, catalog.New(), telemetry.NewMetrics(io.Discard), time.Minute, telemetry.NewLogger(io.Discard, slog.LevelDebug))
			if _, err = dying.Run(t.Context(), ref); db.remaining <= 0 {
				require.ErrorIs(t, err, errCrash)
				crashes++
			}
			for range 2 { // the second run has nothing left to do
				next, err := e.undoStep().Run(t.Context(), ref)
				require.NoError(t, err)
				require.Equal(t, callback.NextComplete, next.Next)
			}
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.Equal(t, before, e.entities(t), "transaction %d, committed %t", n, late)
			require.Equal(t, job.Counts{Updated: 3}, e.job(t, ref).Progress.Counts)
			for _, undone := range []job.Ref{of, first, second} {
				require.Equal(t, &job.RevertedBy{JobID: ref.JobID, Complete: true}, e.job(t, undone).Undone)
			}
			e.undo(t, ref, rules.Safe)
			require.Equal(t, after, e.entities(t), "the undo can be undone")
			if db.remaining > 0 {
				break // the undo has fewer transactions
			}
		}
	}
	require.Greater(t, crashes, 8, "an undo has a transaction for each of three imports, and more")
}

// TestKilledUndoReleasesFile ends the process at each transaction of an undo of many chunks and of its
// completion. Until the undo has ended, its file waits; the repeated steps release it.
func TestKilledUndoReleasesFile(t *testing.T) {
	t.Parallel()
	file := orderHeader + orderLine("K-1", 1) + orderLine("K-2", 1) + orderLine("K-3", 1) + orderLine("K-4", 1)
	kills := 0
	for _, late := range []bool{false, true} {
		for n := 1; ; n++ {
			e := setup(t, 1)
			first := e.orders(t, file, false)
			ref, err := e.requestUndo(t, first, rules.Safe, false)
			require.NoError(t, err)
			_, err = e.analyze.Run(t.Context(), ref)
			require.NoError(t, err)
			db := &crashingDB{e.DB, n, late}
			log := telemetry.NewLogger(io.Discard, slog.LevelDebug)
			metrics := telemetry.NewMetrics(io.Discard)
			if _, err = undo.New(db, catalog.New(), metrics, time.Minute, log).Run(t.Context(), ref); err == nil {
				err = complete.New(db, e.types, telemetry.NewTransitions(log, metrics), metrics, log).Run(t.Context(), ref)
			}
			killed := db.remaining <= 0
			if killed {
				require.ErrorIs(t, err, errCrash)
				kills++
			}
			if e.job(t, ref).Status != job.Completed {
				_, err := e.batch(t, file, nil)
				require.Equal(t, problem.FileRepeated, problem.CodeOf(err))
				require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
					batch, err := e.DB.BatchBeingUndone(t.Context(), tx, "ORDER", e.job(t, first).SHA256)
					require.NotEmpty(t, batch, "the file waits: transaction %d, committed %t", n, late)
					return err
				}))
			}
			for range 2 { // redelivered
				if e.job(t, ref).Status != job.Completed {
					_, err := e.undoStep().Run(t.Context(), ref)
					require.NoError(t, err)
				}
				require.NoError(t, e.complete.Run(t.Context(), ref))
			}
			second := e.orders(t, file, false)
			require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED", "5 CREATED"}, e.results(t, second), "transaction %d, committed %t", n, late)
			if !killed {
				break // there are fewer transactions
			}
		}
	}
	require.Greater(t, kills, 10, "an undo has a transaction for each of four chunks, and more")
}
