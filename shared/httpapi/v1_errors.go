package httpapi

import (
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/postgres"
)

// recordError is the /v1 form of one error of a row.
type recordError struct {
	Row    int64  `json:"row"`
	Field  string `json:"field"`
	Value  string `json:"value,omitempty"`
	Reason string `json:"reason"`
	Code   string `json:"code"`
}

const ndjson = "application/x-ndjson"

// listErrorsV1 is GET /v1/imports/{importId}/errors: the errors of a page of failed rows, as one document
// or as one document per line. A row with several errors has several entries; page, size and
// X-Total-Count count rows.
func (a *api) listErrorsV1(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	format := v.text("format")
	if format != "" && format != "json" && format != "ndjson" {
		v.addError("format", "Either json or ndjson.")
	}
	lines := format == "ndjson" || format == "" && strings.Contains(r.Header.Get("Accept"), ndjson)
	p := v.page(rowsPage, maxRowsPage)
	v.rejectUnknown(pageParams("format")...)
	if err := v.err(); err != nil {
		return err
	}
	j, rows, _, err := a.loadResults(r, jobID(r, "importId"), rowwrite.Errored, p)
	if err != nil {
		return err
	}
	decl, err := a.declaration(r.Context(), nil, j)
	if err != nil {
		return err
	}
	l := languageOf(r)
	if lines {
		l = translation.English // a file, like exports
	}
	list := &listWriter{remaining: maxPageBytes, lines: lines}
	for _, row := range rows[:min(int64(len(rows)), p.size)] {
		if fits, err := list.add(toRecordErrors(l, decl, row)...); err != nil || !fits {
			if err != nil {
				return err
			}
			break
		}
	}
	next := p.nextLink(r, list.entries, len(rows), func(i int) []string { return postgres.ResultCursor(&rows[i]) })
	return list.write(w, r, http.StatusOK, p, next, j.Progress.Counts.Errored)
}

// toRecordErrors uses the /v1 names of fields: email instead of EMAIL.
func toRecordErrors(l translation.Language, decl *entity.Declaration, row job.RowResult) []any {
	errors := make([]any, len(row.Errors))
	for i, f := range rowErrorsIn(l, decl, row.Errors) {
		name := f.Field
		if i := decl.FieldIndex(name); i >= 0 {
			name = decl.Fields[i].Column
		}
		errors[i] = recordError{Row: row.Row, Field: name, Value: f.Value, Reason: f.Message, Code: string(f.Code)}
	}
	return errors
}
