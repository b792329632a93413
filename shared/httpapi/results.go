package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/postgres"
)

// Page sizes of rows.
const (
	rowsPage    = 50
	maxRowsPage = 1000
)

// rowResult is the outcome of a row.
type rowResult struct {
	ID        int64            `json:"id"` // within the job: its row number
	RowNumber int64            `json:"rowNumber"`
	Outcome   string           `json:"outcome"`
	Message   *string          `json:"message"`
	Errors    []rowwrite.Error `json:"faults"`
}

func toRowResult(l translation.Language, d *entity.Declaration, r job.RowResult) rowResult {
	faults := rowErrorsIn(l, d, r.Errors)
	return rowResult{ID: r.Row, RowNumber: r.Row, Outcome: r.Outcome.String(), Message: nilIfZero(joinErrors(l, faults)), Errors: faults}
}

// maxMessage is the approximate maximum size of a row's message in bytes.
const maxMessage = 1500

// joinErrors returns the errors of a row as one text; each error names its field.
func joinErrors(l translation.Language, faults []rowwrite.Error) string {
	var text strings.Builder
	for i, f := range faults {
		if i > 0 {
			text.WriteByte(' ')
		}
		if text.Len()+len(f.Message) > maxMessage && i > 0 {
			text.WriteString(l.Text(fmt.Sprintf("And %d more.", len(faults)-i)))
			break
		}
		text.WriteString(f.Message)
	}
	return text.String()
}

// listResults is GET /api/imports/{importId}/results.
func (a *api) listResults(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	outcome := v.outcome()
	p := v.page(rowsPage, maxRowsPage)
	v.rejectUnknown(pageParams("outcome")...)
	if err := v.err(); err != nil {
		return err
	}
	j, rows, total, err := a.loadResults(r, jobID(r, "importId"), outcome, p)
	if err != nil {
		return err
	}
	decl, err := a.declaration(r.Context(), nil, j)
	if err != nil {
		return err
	}
	documents := make([]rowResult, len(rows))
	for i, row := range rows {
		documents[i] = toRowResult(languageOf(r), decl, row)
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.ResultCursor(&rows[i]) }, total)
}

// loadResults returns a job, a page of the outcomes of its rows, and the number of outcomes.
func (a *api) loadResults(r *http.Request, id job.ID, outcome rowwrite.Outcome, p page) (j *job.Job, rows []job.RowResult, total int64, err error) {
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		if j, err = a.DB.Job(ctx, tx, id); err != nil {
			return err
		}
		if total = countOutcome(j.Progress.Counts, outcome); outcome.Kept() {
			if total, err = a.DB.CountResults(ctx, tx, j.Key, outcome); err != nil {
				return err
			}
		}
		rows, err = a.DB.Results(ctx, tx, j.Key, postgres.ResultFilter{Outcome: outcome, Page: p.list()})
		return err
	})
	return j, rows, total, err
}

// countOutcome returns the number of rows with the outcome, which must not be one that only undos
// have; 0 means any.
func countOutcome(c job.Counts, outcome rowwrite.Outcome) int64 {
	switch outcome {
	case rowwrite.Created:
		return c.Created
	case rowwrite.Updated, rowwrite.Undone:
		return c.Updated
	case rowwrite.Unchanged:
		return c.Unchanged
	case rowwrite.Skipped:
		return c.Skipped
	case rowwrite.Errored:
		return c.Errored
	default:
		return c.Processed()
	}
}

// summary counts rows by outcome. ValidationError is part of the contract, but an invalid row is an
// ERROR like any other.
type summary struct {
	Created         int64 `json:"created"`
	Updated         int64 `json:"updated"`
	Unchanged       int64 `json:"unchanged"`
	Skipped         int64 `json:"skipped"`
	Error           int64 `json:"error"`
	ValidationError int64 `json:"validationError"`
}

// summariseResults is GET /api/imports/{importId}/results/summary.
func (a *api) summariseResults(w http.ResponseWriter, r *http.Request) error {
	j, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "importId"))
	if err != nil {
		return err
	}
	c := j.Progress.Counts
	return writeJSON(w, http.StatusOK, summary{Created: c.Created, Updated: c.Updated, Unchanged: c.Unchanged, Skipped: c.Skipped, Error: c.Errored})
}
