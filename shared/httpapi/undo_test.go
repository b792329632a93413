package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// changedUser is an import that has changed a user, and has ended.
func (b *bundle) changedUser(t *testing.T) string {
	t.Helper()
	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.keepChange(t, id)
	b.move(t, id, job.Processing)
	b.move(t, id, job.Cancelled)
	return id
}

func (b *bundle) keepChange(t *testing.T, id string) {
	t.Helper()
	require.NoError(t, b.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return b.DB.AddChanges(t.Context(), tx, b.job(t, 1, id), 0, []changeset.Change{{
			Row: 2, Table: "users", ID: "3f0c0000-0000-4000-8000-000000000001", Op: changeset.Updated,
			Columns: []string{"name"}, Before: []*string{new("Cem")}, After: []*string{new("Cem Demir")},
		}})
	}))
}

func (b *bundle) undo(t *testing.T, id, query, body string, scopes ...string) answer {
	t.Helper()
	q := request{method: "POST", path: "/api/imports/" + id + "/undo" + query, body: body, contentType: "application/json"}
	for _, scope := range scopes {
		q.claims = map[string]string{"organisation_id": "1", "scope": "imports:write " + scope}
	}
	return b.do(t, q)
}

func TestAnUndoIsAnImportThatSaysWhatItTakesBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.changedUser(t)
	done := b.undo(t, id, "", "")
	undo := decode[fields](done, http.StatusAccepted)
	require.Equal(t, "/api/imports/"+undo["identifier"].(string), done.Header().Get("Location"))
	require.Equal(t, id, undo["undoOf"])
	require.Equal(t, "safe", undo["undoMode"])
	require.EqualValues(t, 1, undo["totalRows"])
	require.Contains(t, b.workflow.started, job.Ref{JobID: job.ID(undo["identifier"].(string)), OrganisationID: 1})

	b.undo(t, id, "", "").refused(409, problem.UndoRunning)
	b.undo(t, undo["identifier"].(string), "", "").refused(409, problem.StillRunning)
	require.Equal(t, true, decode[fields](b.undo(t, id, "?preview=true", ""), http.StatusAccepted)["dryRun"])
	b.move(t, undo["identifier"].(string), job.Processing)
	b.move(t, undo["identifier"].(string), job.Completed)
	b.undo(t, id, "", "").refused(409, problem.UndoDone)
}

func TestAnImportSaysWhatHasTakenItBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.changedUser(t)
	undone := func(of string) any {
		one := decode[fields](b.do(t, get("/api/imports/"+of)), http.StatusOK)["undoneBy"]
		for _, listed := range decode[[]fields](b.do(t, get("/api/imports")), http.StatusOK) {
			if listed["identifier"] == of {
				require.Equal(t, one, listed["undoneBy"], "the list says the same")
			}
		}
		return one
	}
	end := func(done answer, counts string) string {
		by := decode[fields](done, http.StatusAccepted)["identifier"].(string)
		b.move(t, by, job.Processing)
		b.move(t, by, job.Completed)
		b.Exec(t, `UPDATE import_jobs SET `+counts+` WHERE uuid = $1`, by)
		return by
	}
	end(b.undo(t, id, "?preview=true", ""), "updated_count = 1")
	require.Nil(t, undone(id), "a preview takes nothing back")
	part := end(b.undo(t, id, "", ""), "updated_count = 1, skipped_count = 1")
	require.Equal(t, fields{"identifier": part, "whole": false}, undone(id))
	whole := end(b.undo(t, id, "", ""), "updated_count = 1")
	require.Equal(t, fields{"identifier": whole, "whole": true}, undone(id))

	b.keepChange(t, whole)
	again := end(b.undo(t, whole, "", ""), "updated_count = 1")
	require.Equal(t, fields{"identifier": again, "whole": true}, undone(whole))
	require.Equal(t, part, undone(id).(fields)["identifier"], "what was taken back itself counts no more")
}

func TestUndosThatCannotBe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.changedUser(t)
	b.undo(t, id, "", `{"mode": "all"}`).refused(400, problem.ParameterInvalid)
	b.undo(t, id, "?preview=perhaps", "").refused(400, problem.ParameterInvalid)
	b.undo(t, id, "", `{"mode": "force"}`).refused(403, problem.ScopeRequired)
	b.undo(t, id, "", `{"mode": "force"}`, "admin").refused(409, problem.UndoUnpreviewed)
	b.undo(t, id, "", `{"mode": "cascade"}`).refused(409, problem.UndoUnpreviewed)

	b.Exec(t, `UPDATE import_jobs SET undo_until = now() - interval '1 hour' WHERE uuid = $1`, id)
	b.undo(t, id, "", "").refused(409, problem.UndoExpired)
	b.Exec(t, `UPDATE import_jobs SET undo_until = NULL, undo_days = 0 WHERE uuid = $1`, id)
	b.undo(t, id, "", "").refused(409, problem.UndoExpired)

	untouched := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.undo(t, untouched, "", "").refused(409, problem.StillRunning)
	b.move(t, untouched, job.Processing)
	b.move(t, untouched, job.Cancelled)
	b.undo(t, untouched, "", "").refused(409, problem.UndoNothing)
}

func TestAPreviewOfAnUndoIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.changedUser(t)
	b.Exec(t, `UPDATE import_changes SET updated = 200001`)
	b.undo(t, id, "?preview=true", "").refused(409, problem.UndoPreviewLarge)
	decode[fields](b.undo(t, id, "", ""), http.StatusAccepted)
}

func TestAnImportIsCancelledAndUndone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	running := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.keepChange(t, running)
	b.move(t, running, job.Processing)
	cancel := func(id string) answer {
		return b.do(t, request{method: "DELETE", path: "/api/imports/" + id + "?undo=true"})
	}
	undo := decode[fields](cancel(running), http.StatusAccepted)
	require.Equal(t, running, undo["undoOf"])
	require.Equal(t, job.Cancelled, b.job(t, 1, running).Status)
	cancel(running).refused(409, problem.UndoRunning)

	fresh := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	require.Equal(t, http.StatusNoContent, cancel(fresh).Code, "there is nothing to be taken back")
	b.do(t, request{method: "DELETE", path: "/api/imports/" + fresh + "?undo=perhaps"}).refused(400, problem.ParameterInvalid)
}
