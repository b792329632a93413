package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/correction"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/transform"
)

// Rows shows rows of imports, and accepts corrections of failed rows.
type Rows interface {
	List(ctx context.Context, ref job.Ref, q correction.Query) (*correction.Page, error)
	Correct(ctx context.Context, ref job.Ref, by string, given map[int64]correction.Cells, preview bool) ([]correction.CheckedRow, error)
	Replace(ctx context.Context, ref job.Ref, by string, w correction.ReplaceFilter, steps []transform.Step, after int64, preview bool) (*correction.ReplaceResult, error)
}

// rowRoutes lists the operations on rows and on files derived from them.
func (a *api) rowRoutes() []route {
	return []route{
		{"GET", "/api/imports/{importId}/rows", scopeImportsRead, a.listRows},
		{"GET", "/api/imports/{importId}/rows/counts", scopeImportsRead, withoutQuery(a.countRows)},
		{"PATCH", "/api/imports/{importId}/rows", scopeImportsWrite, a.correctRows},
		{"DELETE", "/api/imports/{importId}/rows/corrections", scopeImportsWrite, a.deleteCorrections},
		{"POST", "/api/imports/{importId}/retry", scopeImportsWrite, withoutQuery(a.retryImport)},
		{"POST", "/api/imports/{importId}/annotated", scopeImportsWrite, withoutQuery(a.annotate)},
		{"GET", "/api/imports/{importId}/annotated.xlsx", scopeImportsRead, withQuery(a.getAnnotated, parameterRedirect)},
	}
}

// Limits of the number of rows with cells in a response.
const (
	cellsPage    = 50
	maxCellsPage = 200
)

// rowsPart is a page of the rows of an import: RowsPart in openapi.yaml.
type rowsPart struct {
	Header   []string   `json:"header"`
	Rows     []rowCells `json:"rows"`
	Cursor   *string    `json:"cursor"` // of the next page; null after the last row
	Complete bool       `json:"complete"`
}

// rowCells is a row with its cells: RowCells in openapi.yaml.
type rowCells struct {
	RowNumber int64            `json:"rowNumber"`
	Outcome   string           `json:"outcome"`
	Open      bool             `json:"open"`
	Errors    []rowwrite.Error `json:"faults"`
	Retry     *rowRetry        `json:"retry"`
	Cells     []string         `json:"cells"`
	Values    []rowValue       `json:"values"`
}

// rowRetry is the last retry of a row.
type rowRetry struct {
	Identifier job.ID  `json:"identifier"`
	Outcome    *string `json:"outcome"` // null until it is known
}

// rowValue is the decoded value of a field.
type rowValue struct {
	Field     string        `json:"field"`
	Read      string        `json:"read"`
	Typed     *string       `json:"typed"`
	Code      *problem.Code `json:"code"` // of the cell's error
	Corrected bool          `json:"corrected"`
}

// listRows is GET …/rows.
func (a *api) listRows(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	q := correction.Query{
		Outcome: v.outcome(), Field: v.text("field"), Code: v.text("code"), OpenOnly: v.flag("open"), Text: v.text("q"),
		After: v.intBetween("cursor", 0, maxOffset, 0), Limit: int(v.intBetween("limit", 1, maxCellsPage, cellsPage)),
	}
	v.rejectUnknown("outcome", "field", "code", "open", "q", "cursor", "limit")
	if err := v.err(); err != nil {
		return err
	}
	found, err := a.Rows.List(r.Context(), jobRef(r), q)
	if err != nil {
		return err
	}
	l := languageOf(r)
	decl, err := a.declaration(r.Context(), nil, found.Job)
	if err != nil {
		return err
	}
	document := rowsPart{Header: sliceOrEmpty(dialectOf(found.Job).Header), Rows: make([]rowCells, len(found.Rows)), Complete: !found.More}
	if found.More {
		document.Cursor = new(strconv.FormatInt(found.Next, 10))
	}
	for i := range found.Rows {
		document.Rows[i] = toRowCells(l, decl, &found.Rows[i])
	}
	return writeJSON(w, http.StatusOK, document)
}

// outcome returns the parameter outcome, or 0 if it is absent.
func (v *values) outcome() (outcome rowwrite.Outcome) {
	if name := v.text("outcome"); name != "" {
		var known bool
		if outcome, known = rowwrite.ParseOutcome(name); !known {
			v.addError("outcome", "One of CREATED, UPDATED, UNCHANGED, SKIPPED, ERROR; of an undo, UNDONE, KEPT_LATER_EDIT, KEPT_REFERENCED, KEPT_KEY_TAKEN.")
		}
	}
	return outcome
}

func toRowCells(l translation.Language, d *entity.Declaration, r *correction.Row) rowCells {
	document := rowCells{
		RowNumber: r.Number, Outcome: r.Outcome.String(), Open: r.Open, Errors: rowErrorsIn(l, d, r.Errors),
		Cells: sliceOrEmpty(r.Cells), Values: make([]rowValue, len(r.Values)),
	}
	if r.Retry != nil {
		document.Retry = &rowRetry{Identifier: r.Retry.JobID, Outcome: nilIfZero(r.Retried.String())}
	}
	for i := range r.Values {
		document.Values[i] = toRowValue(&r.Values[i])
	}
	return document
}

func toRowValue(v *rows.Value) rowValue {
	document := rowValue{Field: v.Field, Read: v.Read, Typed: v.Typed, Corrected: v.Corrected}
	if v.Error != nil {
		document.Code = &v.Error.Code
	}
	return document
}

// errorCounts counts rows by their errors: RowCounts in openapi.yaml.
type errorCounts struct {
	Counts        []errorCount `json:"counts"`
	Complete      bool         `json:"complete"` // all rows are counted
	OpenErrors    int64        `json:"openErrors"`
	CorrectedRows int64        `json:"correctedRows"` // rows that a retry of corrected rows would include
}

type errorCount struct {
	Outcome string `json:"outcome"`
	Field   string `json:"field"`
	Code    string `json:"code"`
	Rows    int64  `json:"rows"`
}

// maxCounts is the maximum number of listed combinations of outcome, field and code.
const maxCounts = 1000

// countRows is GET …/rows/counts.
func (a *api) countRows(w http.ResponseWriter, r *http.Request) error {
	document := errorCounts{Counts: []errorCount{}}
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		j, err := a.DB.Job(ctx, tx, jobID(r, "importId"))
		if err != nil {
			return err
		}
		counts, complete, err := a.DB.CountRowErrors(ctx, tx, j.Key, maxCounts)
		if err != nil {
			return err
		}
		document.Complete, document.OpenErrors = complete, j.OpenErrors()
		document.Counts = make([]errorCount, len(counts))
		for i, c := range counts {
			document.Counts[i] = errorCount{c.Outcome.String(), c.Field, c.Code, c.Rows}
		}
		document.CorrectedRows, err = a.DB.CountCorrectedRows(ctx, tx, j.Key)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}
