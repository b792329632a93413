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

// createChangedUser creates an import that has changed a user, and has ended.
func (b *bundle) createChangedUser(t *testing.T) string {
	t.Helper()
	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.saveChange(t, id)
	b.setStatus(t, id, job.Processing)
	b.setStatus(t, id, job.Cancelled)
	return id
}

func (b *bundle) saveChange(t *testing.T, id string) {
	t.Helper()
	require.NoError(t, b.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return b.DB.AddChanges(t.Context(), tx, b.job(t, 1, id), 0, []changeset.Change{{
			Row: 2, Table: "users", ID: "3f0c0000-0000-4000-8000-000000000001", Op: changeset.Updated,
			Columns: []string{"name"}, Before: []*string{new("Cem")}, After: []*string{new("Cem Demir")},
		}})
	}))
}

func (b *bundle) undo(t *testing.T, id, query, body string, scopes ...string) apiResponse {
	t.Helper()
	q := request{method: "POST", path: "/api/imports/" + id + "/undo" + query, body: body, contentType: "application/json"}
	for _, scope := range scopes {
		q.claims = map[string]string{"organisation_id": "1", "scope": "imports:write " + scope}
	}
	return b.do(t, q)
}

func TestUndoOfIsShown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createChangedUser(t)
	done := b.undo(t, id, "", "")
	undo := decode[fields](done, http.StatusAccepted)
	require.Equal(t, "/api/imports/"+undo["identifier"].(string), done.Header().Get("Location"))
	require.Equal(t, id, undo["undoOf"])
	require.Equal(t, "safe", undo["undoMode"])
	require.EqualValues(t, 1, undo["totalRows"])
	require.Contains(t, b.workflow.started, job.Ref{JobID: job.ID(undo["identifier"].(string)), OrganisationID: 1})

	b.undo(t, id, "", "").requireProblem(409, problem.UndoRunning)
	b.undo(t, undo["identifier"].(string), "", "").requireProblem(409, problem.StillRunning)
	require.Equal(t, true, decode[fields](b.undo(t, id, "?preview=true", ""), http.StatusAccepted)["dryRun"])
	b.setStatus(t, undo["identifier"].(string), job.Processing)
	b.setStatus(t, undo["identifier"].(string), job.Completed)
	b.undo(t, id, "", "").requireProblem(409, problem.UndoDone)
}

func TestUndoneByIsShown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createChangedUser(t)
	undone := func(of string) any {
		one := decode[fields](b.do(t, get("/api/imports/"+of)), http.StatusOK)["undoneBy"]
		for _, listed := range decode[[]fields](b.do(t, get("/api/imports")), http.StatusOK) {
			if listed["identifier"] == of {
				require.Equal(t, one, listed["undoneBy"], "the list shows the same undo")
			}
		}
		return one
	}
	end := func(done apiResponse, counts string) string {
		by := decode[fields](done, http.StatusAccepted)["identifier"].(string)
		b.setStatus(t, by, job.Processing)
		b.setStatus(t, by, job.Completed)
		b.Exec(t, `UPDATE import_jobs SET `+counts+` WHERE uuid = $1`, by)
		return by
	}
	end(b.undo(t, id, "?preview=true", ""), "updated_count = 1")
	require.Nil(t, undone(id), "a preview reverts nothing")
	part := end(b.undo(t, id, "", ""), "updated_count = 1, skipped_count = 1")
	require.Equal(t, fields{"identifier": part, "whole": false}, undone(id))
	whole := end(b.undo(t, id, "", ""), "updated_count = 1")
	require.Equal(t, fields{"identifier": whole, "whole": true}, undone(id))

	b.saveChange(t, whole)
	again := end(b.undo(t, whole, "", ""), "updated_count = 1")
	require.Equal(t, fields{"identifier": again, "whole": true}, undone(whole))
	require.Equal(t, part, undone(id).(fields)["identifier"], "an undone undo no longer counts")
}

// endUndoOf undoes an ended import as one change of a user, and returns the undo.
func (b *bundle) endUndoOf(t *testing.T, id string) string {
	t.Helper()
	b.saveChange(t, id)
	undo := decode[fields](b.undo(t, id, "", ""), http.StatusAccepted)["identifier"].(string)
	b.setStatus(t, undo, job.Processing)
	b.setStatus(t, undo, job.Completed)
	b.Exec(t, `UPDATE import_jobs SET updated_count = 1 WHERE uuid = $1`, undo)
	return undo
}

func TestRetriesToUndoAreShown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, retry := b.createChangedUser(t), b.createChangedUser(t)
	b.Exec(t, `UPDATE import_jobs SET retry_of = $2 WHERE uuid = $1`, retry, id)
	retries := fields{"included": false, "count": 1.0, "changes": 1.0, "identifiers": []any{retry}}
	read := func(id string) any {
		return decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)["undoRetries"]
	}
	require.Equal(t, retries, read(id))
	require.Nil(t, read(retry))
	alone := decode[fields](b.undo(t, id, "?preview=true", ""), http.StatusAccepted)
	require.Equal(t, retries, alone["undoRetries"])
	require.Equal(t, retries, read(alone["identifier"].(string)))

	retries["included"] = true
	request := request{method: "POST", path: "/api/imports/" + id + "/undo", body: `{"retries": true}`, contentType: "application/json", headers: map[string]string{"Idempotency-Key": "undo-with-retries"}}
	undo := decode[fields](b.do(t, request), http.StatusAccepted)
	require.Equal(t, retries, undo["undoRetries"])
	require.EqualValues(t, 2, undo["totalRows"])
	require.Equal(t, undo["identifier"], decode[fields](b.do(t, request), http.StatusOK)["identifier"], "a repeated request creates no other undo")
	b.undo(t, retry, "", "").requireProblem(409, problem.UndoRunning)
}

func TestInvalidUndos(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createChangedUser(t)
	b.undo(t, id, "", `{"mode": "all"}`).requireProblem(400, problem.ParameterInvalid)
	b.undo(t, id, "?preview=perhaps", "").requireProblem(400, problem.ParameterInvalid)
	b.undo(t, id, "", `{"mode": "force"}`).requireProblem(403, problem.ScopeRequired)
	b.undo(t, id, "", `{"mode": "force"}`, "admin").requireProblem(409, problem.PreviewRequired)
	b.undo(t, id, "", `{"mode": "cascade"}`).requireProblem(409, problem.PreviewRequired)

	b.Exec(t, `UPDATE import_jobs SET undo_until = now() - interval '1 hour' WHERE uuid = $1`, id)
	b.undo(t, id, "", "").requireProblem(409, problem.UndoExpired)
	b.Exec(t, `UPDATE import_jobs SET undo_until = NULL, undo_days = 0 WHERE uuid = $1`, id)
	b.undo(t, id, "", "").requireProblem(409, problem.UndoExpired)

	untouched := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.undo(t, untouched, "", "").requireProblem(409, problem.StillRunning)
	b.setStatus(t, untouched, job.Processing)
	b.setStatus(t, untouched, job.Cancelled)
	b.undo(t, untouched, "", "").requireProblem(409, problem.UndoNothing)
}

func TestUndoPreviewIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createChangedUser(t)
	b.Exec(t, `UPDATE import_changes SET updated = 200001`)
	b.undo(t, id, "?preview=true", "").requireProblem(409, problem.PreviewTooLarge)
	decode[fields](b.undo(t, id, "", ""), http.StatusAccepted)
}

func TestCancelWithUndo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	running := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	b.saveChange(t, running)
	b.setStatus(t, running, job.Processing)
	cancel := func(id string) apiResponse {
		return b.do(t, request{method: "DELETE", path: "/api/imports/" + id + "?undo=true"})
	}
	undo := decode[fields](cancel(running), http.StatusAccepted)
	require.Equal(t, running, undo["undoOf"])
	require.Equal(t, job.Cancelled, b.job(t, 1, running).Status)
	cancel(running).requireProblem(409, problem.UndoRunning)

	fresh := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	require.Equal(t, http.StatusNoContent, cancel(fresh).Code, "an import without changes is only cancelled")
	b.do(t, request{method: "DELETE", path: "/api/imports/" + fresh + "?undo=perhaps"}).requireProblem(400, problem.ParameterInvalid)
}
