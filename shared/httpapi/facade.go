package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
)

// facadeRoutes returns the routes that the types declare.
func (a *api) facadeRoutes() []route {
	var routes []route
	for _, t := range a.Types.Types() {
		decl := t.Declaration()
		if decl.Facade == nil {
			continue
		}
		routes = append(routes,
			route{"PUT", decl.Facade.Upload, scopeImportsWrite, a.ifInstalled(decl, a.uploadHandler(decl))},
			route{"GET", decl.Facade.Result, scopeImportsRead, a.ifInstalled(decl, withoutQuery(a.resultHandler(decl)))})
	}
	return routes
}

// ifInstalled returns the endpoint of a type, which responds with TYPE_NOT_INSTALLED in an installation
// without the type.
func (a *api) ifInstalled(decl *entity.Declaration, next handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := a.Types.CheckInstalled(r.Context(), nil, organisationOf(r), decl); err != nil {
			return err
		}
		return next(w, r)
	}
}

// uploadHandler returns the endpoint that imports a file of a type immediately.
func (a *api) uploadHandler(decl *entity.Declaration) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		c, err := readFacade(r, decl)
		if err != nil {
			return err
		}
		done, err := a.accept(r, "PUT "+decl.Facade.Upload, decl, *c)
		if err != nil {
			return err
		}
		location := strings.Replace(decl.Facade.Result, "{importId}", string(done.Job.ID), 1)
		return writeJSON(w, writeAcceptedHeaders(w, location, http.StatusAccepted, done), toImportJob(languageOf(r), done.Job))
	}
}

// readFacade reads the query and the form of an upload.
func readFacade(r *http.Request, decl *entity.Declaration) (*importRequest, error) {
	v := newValues(r.URL.Query())
	c := &importRequest{OrganisationID: (*tenant.ID)(v.number("orgId")), unattended: true}
	known := append(append(v.uploadQuery(&c.ImportOptions, decl.WholeFile), fileOptionNames()...), "orgId")
	if c.SkipMapping != nil {
		c.AutoStart = c.SkipMapping // the mapping phases include a review
	}
	if decl.Context != nil {
		known = append(known, decl.Context.Param)
		c.contextName = decl.Context.Param
		c.ContextID = v.number(decl.Context.Param)
	}
	options := v.fileOptions()
	for _, o := range decl.Options {
		known = append(known, o.Name)
		if text := v.text(o.Name); text != "" {
			options[o.Name] = text
		}
	}
	v.rejectUnknown(known...)
	if err := v.err(); err != nil {
		return nil, err
	}
	if err := checkOrganisation(r, c.OrganisationID, "orgId"); err != nil {
		return nil, err
	}
	return c, c.readFileForm(r, options)
}

// rowsResult is the result of a type that is imported row by row.
type rowsResult struct {
	Identifier      job.ID         `json:"identifier"`
	Status          job.Status     `json:"status"`
	TotalRows       *int64         `json:"totalRows"` // the sum of the next five; null unless complete
	Created         int64          `json:"created"`
	Updated         int64          `json:"updated"`
	Unchanged       int64          `json:"unchanged"`
	Skipped         int64          `json:"skipped"`
	Errors          int64          `json:"errors"`
	Issues          []entity.Issue `json:"issues"`
	IssuesTruncated bool           `json:"issuesTruncated"`
	Failure         *job.Failure   `json:"failure"`
	Warnings        []string       `json:"warnings"`
	WarningTexts    []string       `json:"warningTexts"`
	undoState
}

// undoState reports whether an import was undone, wholly or in part.
type undoState struct {
	Undone   bool            `json:"undone"`
	UndoneBy *job.RevertedBy `json:"undoneBy"` // nil unless undone
}

func toUndoState(by *job.RevertedBy) undoState { return undoState{by != nil, by} }

// resultHandler returns the endpoint that responds with a type's own result.
func (a *api) resultHandler(decl *entity.Declaration) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var j *job.Job
		var remarks []job.RowResult
		err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
			if j, err = a.DB.Job(ctx, tx, jobID(r, "importId")); err != nil {
				return err
			}
			if j.ImportType != decl.Name || j.Undo != nil {
				return problem.New(problem.NotFound, "No import of %s with this ID exists.", decl.Title)
			}
			if !j.Status.Terminal() {
				return problem.New(problem.StillRunning, "This import %s. Its results are not available yet.", j.Status.Clause())
			}
			if !hasTypeResult(j) {
				remarks, err = a.DB.RowErrors(ctx, tx, j.Key, rows.MaxIssues+1)
			}
			return err
		})
		if err != nil {
			return err
		}
		if hasTypeResult(j) {
			result, err := toTypeResult(j)
			if err != nil {
				return err
			}
			return writeJSON(w, http.StatusOK, result)
		}
		return writeJSON(w, http.StatusOK, toRowsResult(languageOf(r), decl, j, remarks))
	}
}

// hasTypeResult reports whether the type has created its own result. The intermediate state of an
// unfinished file is not a result.
func hasTypeResult(j *job.Job) bool { return j.Status == job.Completed && len(j.ResultJSON) > 0 }

// toTypeResult returns the result that the type has created, and whether the import was undone since.
func toTypeResult(j *job.Job) (map[string]json.RawMessage, error) {
	result := make(map[string]json.RawMessage)
	state, err := json.Marshal(toUndoState(j.Undone))
	if err = errors.Join(err, json.Unmarshal(j.ResultJSON, &result), json.Unmarshal(state, &result)); err != nil {
		return nil, fmt.Errorf("result of job %s: %w", j.ID, err)
	}
	return result, nil
}

func toRowsResult(l translation.Language, d *entity.Declaration, j *job.Job, remarks []job.RowResult) rowsResult {
	c := j.Progress.Counts
	result := rowsResult{
		Identifier: j.ID, Status: j.Status, TotalRows: j.IfComplete(j.Progress.TotalRows),
		Created: c.Created, Updated: c.Updated, Unchanged: c.Unchanged, Skipped: c.Skipped, Errors: c.Errored,
		Failure: failureIn(l, j.Failure), Warnings: sliceOrEmpty(j.WarningCodes), WarningTexts: warningTexts(l, j.WarningCodes),
		undoState: toUndoState(j.Undone),
	}
	result.Issues, result.IssuesTruncated = rows.ListIssues(resultsIn(l, d, remarks))
	return result
}
