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
	if _, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "importId")); err != nil {
		return err
	}
	in := struct {
		Mode    undo.Mode `json:"mode"`
		Retries bool      `json:"retries"`
	}{Mode: undo.Safe}
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
	return a.acceptUndo(w, r, submit.UndoRequest{Mode: in.Mode, Retries: in.Retries, Preview: preview})
}

// acceptUndo accepts an undo of the job in the path.
func (a *api) acceptUndo(w http.ResponseWriter, r *http.Request, q submit.UndoRequest) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	q.Ref, q.RequestID, q.Key, q.Uploader = jobRef(r), requestIDOf(r.Context()), key, callerName(r)
	done, err := a.Imports.Undo(r.Context(), q)
	if err != nil {
		return err
	}
	document := toImportJob(languageOf(r), done.Job)
	if err := a.addUndoRetries(r, done.Job, &document); err != nil {
		return err
	}
	return writeJSON(w, writeAcceptedHeaders(w, "/api/imports/"+string(done.Job.ID), http.StatusAccepted, done), document)
}

// deleteImport is DELETE /api/imports/{importId}: it cancels the job and, on request, undoes its
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
		if err = a.acceptUndo(w, r, submit.UndoRequest{Mode: undo.Safe}); problem.CodeOf(err) != problem.UndoNothing {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// ignoreEnded returns nil if a job that cannot be cancelled has already ended, by itself or by an
// earlier request that failed before the undo.
func (a *api) ignoreEnded(r *http.Request, err error) error {
	j, lost := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "importId"))
	if lost != nil {
		return lost
	}
	if j.Status.Terminal() {
		return nil
	}
	return err
}

// undoRetries are retries of an import that an undo reverts, or leaves as they are: UndoRetries in
// openapi.yaml.
type undoRetries struct {
	Included    bool     `json:"included"`
	Count       int      `json:"count"`
	Changes     int64    `json:"changes"`
	Identifiers []job.ID `json:"identifiers"` // newest first
}

// toUndoRetries returns nil for no retries.
func toUndoRetries(retries []job.UndoneRetry, included bool) *undoRetries {
	if len(retries) == 0 {
		return nil
	}
	document := &undoRetries{Included: included, Count: len(retries)}
	for _, r := range retries {
		document.Changes += r.Changes
		document.Identifiers = append(document.Identifiers, r.ID)
	}
	return document
}

// addUndoRetries adds the retries that an undo of the job does not revert unless requested or, for an
// undo that reverts none, those of the job that it undoes.
func (a *api) addUndoRetries(r *http.Request, j *job.Job, document *importJob) error {
	of := j.ID
	switch {
	case document.UndoRetries != nil:
		return nil
	case j.Undo != nil:
		of = j.Undo.Of
	case !document.Undoable:
		return nil
	}
	retries, err := a.Imports.RetriesToUndo(r.Context(), job.Ref{JobID: of, OrganisationID: j.OrganisationID})
	document.UndoRetries = toUndoRetries(retries, false)
	return err
}

// includedRetries returns the retries that the job undoes; nil if the job is not an undo.
func includedRetries(j *job.Job) []job.UndoneRetry {
	if j.Undo == nil {
		return nil
	}
	return j.Undo.Retries
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
