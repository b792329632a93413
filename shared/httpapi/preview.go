package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/rowview"
)

// previewBody is a part of a file as Loadbay reads it: Preview in openapi.yaml.
type previewBody struct {
	Options          json.RawMessage      `json:"options"`
	Detected         *sheet.Dialect       `json:"detected"`
	EncodingEvidence *string              `json:"encodingEvidence"` // rowview.EncodingEvidence
	Columns          []previewColumn      `json:"columns"`
	Sheets           []previewSheet       `json:"sheets"`
	Rows             []rowview.DisplayRow `json:"rows"`
	MoreRows         bool                 `json:"moreRows"`
	LastRows         []rowview.DisplayRow `json:"lastRows"` // null if unknown
}

type previewColumn struct {
	ColumnIndex  int            `json:"columnIndex"`
	SourceHeader string         `json:"sourceHeader"`
	TargetField  *string        `json:"targetField"`
	DateOrder    *columnReading `json:"dateOrder"`
	DecimalMark  *columnReading `json:"decimalMark"`
}

type previewSheet struct {
	Index         int    `json:"index"`
	Name          string `json:"name"`
	Hidden        bool   `json:"hidden"`
	Rows          int64  `json:"rows"`
	RowsExact     bool   `json:"rowsExact"`
	Columns       int    `json:"columns"`
	LooksLikeData bool   `json:"looksLikeData"`
	Shown         bool   `json:"shown"`
}

// Numbers of rows of a preview.
const (
	previewRows    = 30
	maxPreviewRows = 200
)

// previewSource is GET …/preview.
func (a *api) previewSource(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	window := reading.Window{
		Limit:  int(v.intBetween("limit", 1, maxPreviewRows, previewRows)),
		Offset: int(v.intBetween("offset", 0, reading.MaxOffset, 0)),
	}
	if index := v.number("sheet"); index != nil {
		window.Sheet = new(int(v.intBetween("sheet", 0, 1<<20, 0)))
	}
	v.rejectUnknown("sheet", "limit", "offset")
	if err := v.err(); err != nil {
		return err
	}
	p, err := a.Readings.Preview(r.Context(), jobRef(r), window)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toPreview(p))
}

func toPreview(p *reading.Preview) previewBody {
	document := previewBody{
		Options: p.Job.Options, Detected: p.Dialect, EncodingEvidence: nilIfZero(string(p.Evidence)), Columns: toPreviewColumns(p.Columns),
		Sheets: make([]previewSheet, len(p.Sheets)), Rows: p.Rows, MoreRows: p.More, LastRows: p.LastRows,
	}
	if document.Rows == nil {
		document.Rows = []rowview.DisplayRow{}
	}
	for i, s := range p.Sheets {
		document.Sheets[i] = previewSheet{
			Index: s.Index, Name: s.Name, Hidden: s.Hidden, Rows: s.Rows, RowsExact: s.Exact, Columns: s.Columns,
			LooksLikeData: s.LooksLikeData, Shown: s.Index == p.Dialect.SheetIndex,
		}
	}
	return document
}

func toPreviewColumns(columns []job.MappedColumn) []previewColumn {
	out := make([]previewColumn, len(columns))
	for i, c := range columns {
		out[i] = previewColumn{
			ColumnIndex: c.ColumnIndex, SourceHeader: c.Header, TargetField: nilIfZero(c.TargetField),
			DateOrder: toColumnReading(c.Locale.DateOrder), DecimalMark: toColumnReading(c.Locale.DecimalMark),
		}
	}
	return out
}
