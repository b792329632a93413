package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// Page sizes of jobs.
const (
	jobsPage    = 20
	maxJobsPage = 200
)

// listImports is GET /api/imports.
func (a *api) listImports(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	organisation := (*tenant.ID)(v.number("organisationId"))
	f := a.jobFilter(r, v)
	p := v.page(jobsPage, maxJobsPage)
	v.rejectUnknown(jobFilterParameters()...)
	if err := v.err(); err != nil {
		return err
	}
	if err := checkOrganisation(r, organisation, "organisationId"); err != nil {
		return err
	}
	f.Page = p.list()
	jobs, total, err := a.loadJobs(r, f)
	if err != nil {
		return err
	}
	documents := make([]importSummary, len(jobs))
	for i, j := range jobs {
		documents[i] = toImportSummary(languageOf(r), j)
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return f.Sort.Cursor(jobs[i]) }, total)
}

func (a *api) loadJobs(r *http.Request, f postgres.JobFilter) (jobs []*job.Job, total int64, err error) {
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		jobs, total, err = a.DB.Jobs(ctx, tx, f)
		return err
	})
	return jobs, total, err
}

// getImport is GET /api/imports/{importId}. Clients poll it without mappings, which takes one round
// trip.
func (a *api) getImport(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	withMappings := v.flag("includeMappings")
	v.rejectUnknown("includeMappings")
	if err := v.err(); err != nil {
		return err
	}
	if withMappings {
		return a.getImportWithMappings(w, r)
	}
	j, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "importId"))
	if err != nil {
		return err
	}
	if after := pollSeconds(j, time.Since(j.CreatedAt)); after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(after))
	}
	document := toImportJob(languageOf(r), j)
	if err := a.addUndoRetries(r, j, &document); err != nil {
		return err
	}
	document.WaitingForDatabaseSince = a.databaseWait(r.Context(), j)
	return writeJSON(w, http.StatusOK, document)
}

// idleAfter is the time without progress after which an import may be waiting for the database.
const idleAfter = 5 * time.Second

// databaseWait returns since when an import waits for the database: its steps found none, although
// this request may have found it again. nil if it does not wait.
func (a *api) databaseWait(ctx context.Context, j *job.Job) *time.Time {
	if a.DatabaseWaits == nil || j.Status.Terminal() || j.WaitingFor() != "" || time.Since(j.UpdatedAt) < idleAfter {
		return nil
	}
	since, err := a.DatabaseWaits.Since(ctx, j.ID, j.UpdatedAt)
	if err != nil {
		a.Log.WarnContext(ctx, "read wait for the database failed", "error", err)
		return nil
	}
	return since
}

// pollSeconds returns after how many seconds to poll a job of that age again; 0 means not to poll.
// Decisions by people take longer than rows, and a small file is processed quickly.
func pollSeconds(j *job.Job, age time.Duration) int {
	const young = 10 * time.Second
	switch {
	case j.Status.Terminal():
		return 0
	case j.WaitingFor() != "" && (j.WaitingFor() != job.WaitFile || age >= young):
		return 15
	case age < young:
		return 1
	}
	return 2
}

func (a *api) getImportWithMappings(w http.ResponseWriter, r *http.Request) error {
	var document importJob
	var j *job.Job
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		if j, err = a.DB.Job(ctx, tx, jobID(r, "importId")); err != nil {
			return err
		}
		document = toImportJob(languageOf(r), j)
		return a.addColumnMappings(ctx, tx, languageOf(r), j, &document)
	})
	if err != nil {
		return err
	}
	if err := a.addCellMappings(r.Context(), jobRef(r), &document); err != nil {
		return err
	}
	if err := a.addUndoRetries(r, j, &document); err != nil {
		return err
	}
	document.WaitingForDatabaseSince = a.databaseWait(r.Context(), j)
	return writeJSON(w, http.StatusOK, document)
}

// addColumnMappings adds the first columns to a job's document, as many as fit into the response
// with the values, and the profiles that match them.
func (a *api) addColumnMappings(ctx context.Context, tx pgx.Tx, l translation.Language, j *job.Job, document *importJob) error {
	columns, err := a.DB.ColumnMappings(ctx, tx, j.Key)
	if err != nil {
		return err
	}
	decl, err := a.declaration(ctx, tx, j)
	if err != nil {
		return err
	}
	document.FreeFields = unmappedFields(l, decl, columns)
	past, err := a.Review.PastColumnAnswers(ctx, tx, j, decl, columns)
	if err != nil {
		return err
	}
	if document.ColumnMappings, err = takeFitting(toColumnMappings(decl, columns, past), maxPageBytes/2); err != nil {
		return err
	}
	document.MoreColumnMappings = len(document.ColumnMappings) < len(columns)
	document.ProfileOffers, err = a.loadProfileOffers(ctx, tx, j, columns)
	return err
}

// remainingBytes returns how many bytes of a list fit into a response together with a job.
func remainingBytes(document *importJob) (int, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return 0, fmt.Errorf("read size of job %s: %w", document.Identifier, err)
	}
	return min(maxPageBytes, maxInlineBytes-responseReserve-encodedBytes(true, text)), nil
}

// responseReserve is the space reserved for the headers of a response.
const responseReserve = 64 << 10

// declaration returns the declaration of a job's type; an empty one for a type that this version no
// longer supports. tx may be nil outside of a transaction.
func (a *api) declaration(ctx context.Context, tx pgx.Tx, j *job.Job) (*entity.Declaration, error) {
	t, err := a.Types.Type(ctx, tx, j.OrganisationID, j.ImportType, j.TypeVersion)
	if problem.CodeOf(err) == problem.ImportTypeUnknown {
		return &entity.Declaration{Name: j.ImportType}, nil
	}
	if err != nil {
		return nil, err
	}
	return t.Declaration(), nil
}
