// Package preview looks at the beginning of a file as an import of it does first: what it is,
// how it is read, its first rows, and which columns of its type it has. The console does
// so before it sends a file, in the browser; what is wrong with a file is said in the
// words that the import would fail with.
package preview

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/rowview"
)

// maxRows is how many rows are shown, those above the header too.
const maxRows = 8

// Result is what the beginning of a file says.
type Result struct {
	Detected *sheet.Dialect           `json:"detected"`
	Evidence rowview.EncodingEvidence `json:"encodingEvidence,omitempty"` // "" for workbooks
	Sheets   []string                 `json:"sheets"`                     // names of those that have cells
	Rows     []rowview.DisplayRow     `json:"rows"`                       // the first of the file
	More     bool                     `json:"moreRows"`                   // rows follow those
	Columns  []Column                 `json:"columns"`                    // none without a type
	// Missing is REQUIRED_COLUMN_MISSING where the file has no column for a required
	// field, as far as can be told without asking anybody.
	Missing *Problem `json:"missing,omitempty"`
}

// Column is a column of the file, and the field that it is taken for.
type Column struct {
	Header string `json:"sourceHeader"`
	Field  string `json:"targetField,omitempty"` // "" for none
}

// Problem is what is wrong with a file, as the API says it.
type Problem struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
}

// Read reads the head of a file of that name, for an import of a type, or of none that is
// known yet (nil). A *problem.Error is what the import would fail with.
func Read(ctx context.Context, src sheet.Source, name string, of *Type, lim sheet.Limits) (*Result, error) {
	dialect, err := reader.Detect(ctx, src, sheet.Options{}, lim)
	if err != nil {
		return nil, err
	}
	if promised := reader.FormatFromName(name); promised != "" && promised != dialect.Format {
		dialect.Warnings = append(dialect.Warnings, string(problem.FormatMismatch))
	}
	h := &Result{Detected: dialect, Evidence: rowview.NewEncodingEvidence(dialect, sheet.Options{}), Sheets: []string{}, Columns: []Column{}, Rows: []rowview.DisplayRow{}}
	sheets, err := reader.SheetSummaries(ctx, src, dialect.Format, lim)
	if err != nil {
		return nil, err
	}
	for _, s := range sheets {
		if s.HasCells {
			h.Sheets = append(h.Sheets, s.Name)
		}
	}
	if err := h.readRows(ctx, src, lim); err != nil {
		return nil, err
	}
	if of == nil {
		return h, nil
	}
	return h, h.matchColumns(ctx, src, of, lim)
}

// readRows reads the first rows, those above the header too.
func (h *Result) readRows(ctx context.Context, src sheet.Source, lim sheet.Limits) error {
	return eachRow(ctx, src, reader.RawDialect(h.Detected), lim, func(r *sheet.Row) (more bool) {
		if h.More = len(h.Rows) == maxRows; !h.More {
			h.Rows = append(h.Rows, rowview.NewDisplayRow(r, h.Detected))
		}
		return !h.More
	})
}

// matchColumns finds out which fields of the type the columns are.
func (h *Result) matchColumns(ctx context.Context, src sheet.Source, of *Type, lim sheet.Limits) error {
	found, n := newSamples(len(h.Detected.Header)), 0
	err := eachRow(ctx, src, h.Detected, lim, func(r *sheet.Row) (more bool) {
		found.add(r)
		n++
		return n < sampledRows
	})
	if err != nil {
		return err
	}
	matcher, err := mapping.New(of.Dictionary())
	if err != nil {
		return err
	}
	for _, name := range h.Detected.Header {
		h.Columns = append(h.Columns, Column{Header: name})
	}
	for _, m := range found.match(matcher, h.Detected.Header) {
		h.Columns[m.Column.Index].Field = m.Target
	}
	h.Missing = h.missingError(of)
	return nil
}

// missingError says which required fields no column was taken for; nil where there are none.
func (h *Result) missingError(of *Type) *Problem {
	var titles []string
	for _, f := range of.Fields {
		if f.Required && !slices.ContainsFunc(h.Columns, func(c Column) bool { return c.Field == f.Name }) {
			titles = append(titles, f.Title)
		}
	}
	if titles == nil {
		return nil
	}
	return &Problem{Code: problem.RequiredColumnMissing, Message: fmt.Sprintf("The file has no column for: %s.", strings.Join(titles, ", "))}
}

// ProblemOf is an error as people see it.
func ProblemOf(err error) *Problem {
	e := problem.From(err)
	return &Problem{Code: e.Code, Message: e.Message}
}

// eachRow has each row, from the first on, until it says that it wants no more.
func eachRow(ctx context.Context, src sheet.Source, d *sheet.Dialect, lim sheet.Limits, each func(*sheet.Row) (more bool)) (err error) {
	rows, err := reader.Open(ctx, src, d, lim)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if !each(rows.Row()) {
			return nil
		}
	}
	return rows.Err()
}
