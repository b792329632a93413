package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/loadbay/loadbay/shared/imports/preview"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
)

// getMapping is GET …/mapping: the mapping of all columns and the decisions about values, as one
// document.
func (a *api) getMapping(w http.ResponseWriter, r *http.Request) error {
	d, err := a.Review.Mapping(r.Context(), jobRef(r))
	if err != nil {
		return err
	}
	if err := setETag(w, d); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, d)
}

// setETag sets the version of the mapping in the response, which a change may specify.
func setETag(w http.ResponseWriter, d *document.Document) error {
	version, err := review.Version(d)
	if err == nil {
		w.Header().Set("ETag", version)
	}
	return err
}

// putMapping is PUT …/mapping: 202 if the mapping of columns is complete, 406 if it is not; 412 if
// If-Match specifies another version.
func (a *api) putMapping(w http.ResponseWriter, r *http.Request) error {
	var text json.RawMessage
	if err := readJSON(r, &text, maxDecisions); err != nil {
		return err
	}
	put := review.MappingUpdate{Document: text, By: callerName(r)}
	if read := r.Header.Values("If-Match"); len(read) > 0 {
		put.Matches = func(version string) bool { return matchesETag(read, version) }
	}
	d, err := a.Review.ReplaceMapping(r.Context(), jobRef(r), put)
	if d != nil { // saved, possibly incomplete
		if fault := setETag(w, d); fault != nil {
			return fault
		}
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, d)
}

// mappingPreview is the result of applying a mapping to some rows.
type mappingPreview struct {
	Fields []previewField `json:"fields"`
	Rows   []previewRow   `json:"rows"`
}

// previewField is a field of the mapping, over the previewed rows.
type previewField struct {
	Field       string         `json:"field"`
	Faults      int            `json:"faults"` // rows with an error in the cell
	DateOrder   *columnReading `json:"dateOrder"`
	DecimalMark *columnReading `json:"decimalMark"`
}

// previewRow is a row of the file.
type previewRow struct {
	Row    int64          `json:"row"`
	Code   problem.Code   `json:"code,omitempty"`
	Values []previewValue `json:"values"`
}

// previewValue is the value of a field in a row.
type previewValue struct {
	Field string          `json:"field"`
	Cells []string        `json:"cells"`
	Text  string          `json:"text"`
	Value *string         `json:"value"`
	Fault *rowwrite.Error `json:"fault"`
}

// shownRows is the default number of previewed rows.
const shownRows = 10

// previewMapping is POST …/mapping/preview.
func (a *api) previewMapping(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	limit := int64(shownRows)
	if n := v.number("limit"); n != nil {
		if limit = *n; limit < 1 || limit > preview.MaxRows {
			v.addError("limit", "A number of rows from 1 to 50.")
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
	tried, err := a.MappingPreviews.Run(r.Context(), jobRef(r), text, int(limit))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toMappingPreview(tried))
}

func toMappingPreview(t *preview.Result) mappingPreview {
	out := mappingPreview{Fields: make([]previewField, len(t.Columns)), Rows: make([]previewRow, len(t.Rows))}
	for i, c := range t.Columns {
		out.Fields[i] = previewField{Field: c.TargetField, DateOrder: toColumnReading(c.Locale.DateOrder), DecimalMark: toColumnReading(c.Locale.DecimalMark)}
	}
	for i, row := range t.Rows {
		out.Rows[i] = previewRow{Row: row.Number, Code: row.Code, Values: []previewValue{}}
		for j, v := range row.Values {
			if v.Error != nil {
				out.Fields[j].Faults++
			}
			out.Rows[i].Values = append(out.Rows[i].Values, previewValue{Field: v.Field, Cells: sliceOrEmpty(v.Cells), Text: v.Text, Value: v.Typed, Fault: v.Error})
		}
	}
	return out
}
