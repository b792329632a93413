package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/translation"
)

// jobRef returns the job in the request's path, within the caller's organisation.
func jobRef(r *http.Request) job.Ref {
	return job.Ref{JobID: jobID(r, "importId"), OrganisationID: organisationOf(r)}
}

// listColumns is GET …/column-mappings.
func (a *api) listColumns(w http.ResponseWriter, r *http.Request) error {
	p, err := readMappingsPage(r)
	if err != nil {
		return err
	}
	j, columns, err := a.Review.Columns(r.Context(), jobRef(r))
	if err != nil {
		return err
	}
	return a.writeColumns(w, r, http.StatusOK, p, j, columns)
}

// decideColumns is PUT …/column-mappings: 202 if all required fields are mapped, 406 if some are
// missing.
func (a *api) decideColumns(w http.ResponseWriter, r *http.Request) error {
	var decisions []review.ColumnDecision
	if err := readJSON(r, &decisions, maxDecisions); err != nil {
		return err
	}
	j, columns, err := a.Review.DecideColumns(r.Context(), jobRef(r), callerName(r), decisions)
	if err != nil {
		return err
	}
	return a.writeColumns(w, r, http.StatusAccepted, firstMappingsPage, j, columns)
}

// writeColumns responds with a page of all columns.
func (a *api) writeColumns(w http.ResponseWriter, r *http.Request, status int, p page, j *job.Job, columns []job.MappedColumn) error {
	var all []columnMapping
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		decl, err := a.declaration(ctx, tx, j)
		if err != nil {
			return err
		}
		past, err := a.Review.PastColumnAnswers(ctx, tx, j, decl, columns)
		all = toColumnMappings(decl, columns, past)
		return err
	})
	if err != nil {
		return err
	}
	keyOf := func(c *columnMapping) string { return strconv.FormatInt(c.ID, 10) }
	return writeWhole(w, r, status, p, all, keyOf, func(page []columnMapping) []columnMapping { return page })
}

// confirmColumns is POST …/column-mappings/confirm. The values are resolved afterwards; the
// response contains those known so far, or all of them for callers that prefer to wait.
func (a *api) confirmColumns(w http.ResponseWriter, r *http.Request) error {
	j, err := a.Review.ConfirmColumns(r.Context(), jobRef(r), callerName(r))
	if err != nil {
		return err
	}
	if j, err = a.waitFor(w, r, j); err != nil {
		return err
	}
	document := toImportJob(languageOf(r), j)
	if err := a.addCellMappings(r.Context(), jobRef(r), &document); err != nil {
		return err
	}
	return writeAccepted(w, document)
}

// startImport is POST …/start.
func (a *api) startImport(w http.ResponseWriter, r *http.Request) error {
	j, err := a.Review.StartProcessing(r.Context(), jobRef(r), callerName(r))
	if err != nil {
		return err
	}
	return writeAccepted(w, toImportJob(languageOf(r), j))
}

// writeAccepted responds that the job has continued.
func writeAccepted(w http.ResponseWriter, document importJob) error {
	w.Header().Set("Location", "/api/imports/"+string(document.Identifier))
	w.Header().Set("Retry-After", retryAfter)
	return writeJSON(w, http.StatusAccepted, document)
}

// unmappedFields returns the fields to which no column is mapped.
func unmappedFields(l translation.Language, decl *entity.Declaration, columns []job.MappedColumn) []typeField {
	free := []typeField{}
	for _, f := range decl.UnmappedFields(job.TargetFields(columns)) {
		free = append(free, toTypeField(l, *f))
	}
	return free
}
