package httpapi

import (
	"net/http"
	"slices"

	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// undoImport is POST …/undo.
func (a *api) undoImport(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	preview := v.flag("preview")
	v.rejectUnknown("preview")
	if err := v.err(); err != nil {
		return err
	}
	if _, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "uuid")); err != nil {
		return err
	}
	in := struct {
		Mode undo.Mode `json:"mode"`
	}{undo.Safe}
	if r.ContentLength != 0 {
		if err := readJSON(r, &in, maxDocument); err != nil {
			return err
		}
	}
	if !slices.Contains(undo.Modes(), in.Mode) {
		return problem.New(problem.ParameterInvalid, "Unknown undo mode.").
			With("mode", problem.ParameterInvalid, "One of safe (default), cascade, force.")
	}
	if in.Mode == undo.Force && !a.Auth.Claims.hold(claimsOf(r), scopeOperator) {
		return problem.New(problem.ScopeRequired, "Reverting later changes by others requires the scope %s.", scopeOperator)
	}
	return a.acceptUndo(w, r, in.Mode, preview)
}

// acceptUndo accepts an undo.
func (a *api) acceptUndo(w http.ResponseWriter, r *http.Request, mode undo.Mode, preview bool) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	done, err := a.Imports.Undo(r.Context(), submit.UndoRequest{
		Ref: jobRef(r), RequestID: requestIDOf(r.Context()), Key: key, Mode: mode, Preview: preview, Uploader: callerName(r),
	})
	if err != nil {
		return err
	}
	return writeJSON(w, writeAcceptedHeaders(w, "/api/imports/"+string(done.Job.ID), http.StatusAccepted, done), toImportJob(done.Job))
}

// deleteImport is DELETE /api/imports/{uuid}: it cancels the job and, on request, undoes its
// changes.
func (a *api) deleteImport(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	andUndo := v.flag("undo")
	v.rejectUnknown("undo")
	if err := v.err(); err != nil {
		return err
	}
	_, err := a.Canceller.Cancel(r.Context(), jobRef(r))
	if andUndo && problem.CodeOf(err) == problem.StateConflict {
		err = a.ignoreEnded(r, err)
	}
	if err != nil {
		return err
	}
	if andUndo {
		if err = a.acceptUndo(w, r, undo.Safe, false); problem.CodeOf(err) != problem.UndoNothing {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// ignoreEnded returns nil if a job that cannot be cancelled has already ended, by itself or by an
// earlier request that failed before the undo.
func (a *api) ignoreEnded(r *http.Request, err error) error {
	j, lost := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "uuid"))
	if lost != nil {
		return lost
	}
	if j.Status.Terminal() {
		return nil
	}
	return err
}

// undoneJobID returns the job that the job undoes; nil if the job is not an undo.
func undoneJobID(j *job.Job) *job.ID {
	if j.Undo == nil {
		return nil
	}
	return &j.Undo.Of
}

// undoMode returns the mode of an undo; nil if the job is not an undo.
func undoMode(j *job.Job) *string {
	if j.Undo == nil {
		return nil
	}
	return &j.Undo.Mode
}
