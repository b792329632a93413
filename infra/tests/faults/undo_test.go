package faults

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// undoParts is the number of parts of the undos here: one for each chunk of the import.
const undoParts = 3

// startUndoableImport runs an import of new users to its end and returns the part of their
// e-mail addresses that no others have.
func (r *harness) startUndoableImport(t *testing.T) (id, tag string) {
	t.Helper()
	file := r.usersFile(undoParts * chunkRows)
	id = r.startImport(t, file)
	r.requireAllCreated(t, id, undoParts*chunkRows)
	tag, _, _ = strings.Cut(strings.Split(file, "\n")[1], ".")
	return id, tag
}

// requestUndo requests the undo of an import.
func (r *harness) requestUndo(t *testing.T, id string) string {
	t.Helper()
	var j rawclient.Job
	require.NoError(t, r.Post(t.Context(), "/api/imports/"+id+"/undo", struct{}{}, &j))
	return j.Identifier
}

// requireUndone waits for the end of an undo and checks that each user is deleted and each
// change is reported once.
func (r *harness) requireUndone(t *testing.T, id, tag string) {
	t.Helper()
	j := r.awaitEnd(t, id)
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
	require.Equal(t, int64(undoParts*chunkRows), j.TotalRows)
	require.Zero(t, r.countUsersOf(t, tag))
	outcomes := stacktest.Query[int](t, r.Stack, `SELECT sum(length(replace(encode(c.outcomes, 'escape'), 'R', '')) * 1000000 + octet_length(c.outcomes))::int
		FROM import_chunks AS c JOIN import_jobs AS j ON j.id = c.job_id WHERE j.uuid = $1`, id)
	require.Equal(t, undoParts*chunkRows, outcomes, "every change has the outcome UNDONE")
	r.requireExecution(t, id, "SUCCEEDED")
}

func (r *harness) countUsersOf(t *testing.T, tag string) int64 {
	t.Helper()
	return stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM users WHERE email LIKE $1 || '.%'`, tag)
}

// isUndoCommit reports whether a statement is the commit of a part of an undo.
func isUndoCommit(s *intercept.Statement) bool {
	return s.Function == "wholefile" && s.Commits(advanceSQL) && !s.Commits(addChunksSQL)
}

// killAtUndoCommit kills the process of an undo at the nth commit of a part, before or after it. The
// returned function requires that the undo of so many parts has committed each of them once.
func (r *harness) killAtUndoCommit(t *testing.T, nth int64, committed bool) func(parts int64) {
	t.Helper()
	var seen atomic.Int64
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if !isUndoCommit(s) || seen.Add(1) != nth {
			return nil
		}
		if committed {
			return s.Kill
		}
		s.Kill()
		s.Disconnect()
		return nil
	})
	return func(parts int64) {
		t.Helper()
		if !committed {
			parts++ // one part is undone again
		}
		require.Equal(t, parts, seen.Load())
	}
}

// The undo's process dies at the commit of each part in turn, before or after it.
func undoCrashes(committed bool) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		for nth := int64(1); nth <= undoParts; nth++ {
			id, tag := r.startUndoableImport(t)
			requireCommits := r.killAtUndoCommit(t, nth, committed)
			r.requireUndone(t, r.requestUndo(t, id), tag)
			requireCommits(undoParts)
		}
	}
}

// The process of an undo of an import and its corrected file dies at the commit of each part in turn,
// before or after it.
func combinedUndoCrashes(committed bool) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		for nth := int64(1); nth <= undoParts+1; nth++ {
			file := r.usersFile(undoParts*chunkRows - 1)
			tag, _, _ := strings.Cut(strings.Split(file, "\n")[1], ".")
			id := r.startImport(t, file+"not an address,Zoe\n")
			require.Equal(t, int64(1), r.awaitEnd(t, id).ErrorCount)
			retry := r.uploadFile(t, rawclient.CreateRequest{ImportType: "USER", Filename: "corrected.csv", AutoStart: true, RetryOf: id}, "email,name\n"+tag+".zoe@example.org,Zoe\n")
			r.requireAllCreated(t, retry, 1)
			require.Equal(t, int64(undoParts*chunkRows), r.countUsersOf(t, tag))
			requireCommits := r.killAtUndoCommit(t, nth, committed)
			var j rawclient.Job
			require.NoError(t, r.Post(t.Context(), "/api/imports/"+id+"/undo", map[string]bool{"retries": true}, &j))
			r.requireUndone(t, j.Identifier, tag)
			requireCommits(undoParts + 1)
		}
	}
}

// The undo period of an import ends while it is being undone, and the purge runs: the undo
// still finds all that it needs.
func purgeAgainstUndo(t *testing.T, r *harness) {
	id, tag := r.startUndoableImport(t)
	halfway, purged := r.newEvent(), r.newEvent()
	var seen atomic.Int64
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if isUndoCommit(s) && seen.Add(1) == 2 {
			halfway.set()
			purged.wait(t, "the purge has come")
		}
		return nil
	})
	undo := r.requestUndo(t, id)
	halfway.wait(t, "one part is taken back")
	r.exec(t, `UPDATE import_jobs SET completed_at = now() - interval '40 days', updated_at = now() - interval '40 days', undo_until = now() - interval '10 days' WHERE uuid = '`+id+`'`)
	r.invoke(t, "purge")
	purged.set()
	r.requireUndone(t, undo, tag)
	r.invoke(t, "purge")
	var refused *rawclient.Error
	require.ErrorAs(t, r.Post(t.Context(), "/api/imports/"+id+"/undo", struct{}{}, nil), &refused)
	require.Contains(t, []int{404, 409, 410}, refused.Status, "%v", refused)
}

// A column is added between an import and its undo: the created entities still count as
// unchanged.
func columnAddedBeforeUndo(t *testing.T, r *harness) {
	id, tag := r.startUndoableImport(t)
	r.exec(t, `ALTER TABLE users ADD COLUMN loyalty text DEFAULT 'none'`)
	defer r.exec(t, `ALTER TABLE users DROP COLUMN loyalty`)
	undo := r.requestUndo(t, id)
	r.requireUndone(t, undo, tag)
	r.awaitEnd(t, r.requestUndo(t, undo))
	require.Equal(t, int64(undoParts*chunkRows), r.countUsersOf(t, tag), "undoing the undo restores the rows")
}
