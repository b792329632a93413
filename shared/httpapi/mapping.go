package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/loadbay/loadbay/shared/imports/preview"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
)

// getMapping is GET …/mapping: all that the columns were taken for and has been said of
// values, as one document.
func (a *api) getMapping(w http.ResponseWriter, r *http.Request) error {
	d, err := a.Review.Mapping(r.Context(), refOf(r))
	if err != nil {
		return err
	}
	if err := setVersion(w, d); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, d)
}

// setVersion says which version of a mapping a response is about, which a change may name.
func setVersion(w http.ResponseWriter, d *document.Document) error {
	version, err := review.Version(d)
	if err == nil {
		w.Header().Set("ETag", version)
	}
	return err
}

// putMapping is PUT …/mapping: 202 when it says all that must be known of the columns,
// 406 when something is missing still; 412 where If-Match names another version.
func (a *api) putMapping(w http.ResponseWriter, r *http.Request) error {
	var text json.RawMessage
	if err := readJSON(r, &text, maxDecisions); err != nil {
		return err
	}
	put := review.MappingPut{Document: text, By: callerOf(r)}
	if read := r.Header.Values("If-Match"); len(read) > 0 {
		put.Matches = func(version string) bool { return matches(read, version) }
	}
	d, err := a.Review.PutMapping(r.Context(), refOf(r), put)
	if d != nil { // what is kept, though something may be missing still
		if fault := setVersion(w, d); fault != nil {
			return fault
		}
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, d)
}

// trialDTO is what a mapping makes of rows.
type trialDTO struct {
	Fields []triedField `json:"fields"`
	Rows   []triedRow   `json:"rows"`
}

// triedField is a field of the mapping, over the rows that are shown.
type triedField struct {
	Field       string         `json:"field"`
	Faults      int            `json:"faults"` // rows of which the cell is in error
	DateOrder   *columnReading `json:"dateOrder"`
	DecimalMark *columnReading `json:"decimalMark"`
}

// triedRow is a row of the file.
type triedRow struct {
	Row    int64        `json:"row"`
	Code   problem.Code `json:"code,omitempty"`
	Values []triedValue `json:"values"`
}

// triedValue is what a row has for a field.
type triedValue struct {
	Field string        `json:"field"`
	Cells []string      `json:"cells"`
	Text  string        `json:"text"`
	Value *string       `json:"value"`
	Fault *job.RowError `json:"fault"`
}

// shownRows is how many rows are shown unless the caller says otherwise.
const shownRows = 10

// tryMapping is POST …/mapping/preview.
func (a *api) tryMapping(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	limit := int64(shownRows)
	if n := v.number("limit"); n != nil {
		if limit = *n; limit < 1 || limit > preview.MaxRows {
			v.invalid("limit", "A number of rows from 1 to 50.")
		}
	}
	v.rejectUnknown("limit")
	if err := v.err(); err != nil {
		return err
	}
	var text json.RawMessage
	if err := readJSON(r, &text, maxDecisions); err != nil {
		return err
	}
	tried, err := a.Trials.Run(r.Context(), refOf(r), text, int(limit))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toTrial(tried))
}

func toTrial(t *preview.Trial) trialDTO {
	out := trialDTO{Fields: make([]triedField, len(t.Columns)), Rows: make([]triedRow, len(t.Rows))}
	for i, c := range t.Columns {
		out.Fields[i] = triedField{Field: c.TargetField, DateOrder: toColumnReading(c.Locale.DateOrder), DecimalMark: toColumnReading(c.Locale.DecimalMark)}
	}
	for i, row := range t.Rows {
		out.Rows[i] = triedRow{Row: row.Number, Code: row.Code, Values: []triedValue{}}
		for j, v := range row.Values {
			if v.Fault != nil {
				out.Fields[j].Faults++
			}
			out.Rows[i].Values = append(out.Rows[i].Values, triedValue{Field: v.Field, Cells: orEmpty(v.Cells), Text: v.Text, Value: v.Typed, Fault: v.Fault})
		}
	}
	return out
}
