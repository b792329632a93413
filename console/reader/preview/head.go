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

// shownRows is how many rows are shown, those above the header too.
const shownRows = 8

// Head is what the beginning of a file says.
type Head struct {
	Detected *sheet.Dialect           `json:"detected"`
	Evidence rowview.EncodingEvidence `json:"encodingEvidence,omitempty"` // "" for workbooks
	Sheets   []string                 `json:"sheets"`                     // names of those that have cells
	Rows     []rowview.Row            `json:"rows"`                       // the first of the file
	More     bool                     `json:"moreRows"`                   // rows follow those
	Columns  []Column                 `json:"columns"`                    // none without a type
	// Missing is REQUIRED_COLUMN_MISSING where the file has no column for a required
	// field, as far as can be told without asking anybody.
	Missing *Fault `json:"missing,omitempty"`
}

// Column is a column of the file, and the field that it is taken for.
type Column struct {
	Header string `json:"sourceHeader"`
	Field  string `json:"targetField,omitempty"` // "" for none
}

// Fault is what is wrong with a file, as the API says it.
type Fault struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
}

// Look reads the head of a file of that name, for an import of a type, or of none that is
// known yet (nil). A *problem.Error is what the import would fail with.
func Look(ctx context.Context, src sheet.Source, name string, of *Type, lim sheet.Limits) (*Head, error) {
	dialect, err := reader.Detect(ctx, src, sheet.Options{}, lim)
	if err != nil {
		return nil, err
	}
	if promised := reader.FormatOfName(name); promised != "" && promised != dialect.Format {
		dialect.Warnings = append(dialect.Warnings, string(problem.WarnFormatMismatch))
	}
	h := &Head{Detected: dialect, Evidence: rowview.Evidence(dialect, sheet.Options{}), Sheets: []string{}, Columns: []Column{}, Rows: []rowview.Row{}}
	sheets, err := reader.Sheets(ctx, src, dialect.Format, lim)
	if err != nil {
		return nil, err
	}
	for _, s := range sheets {
		if s.Grid {
			h.Sheets = append(h.Sheets, s.Name)
		}
	}
	if err := h.show(ctx, src, lim); err != nil {
		return nil, err
	}
	if of == nil {
		return h, nil
	}
	return h, h.match(ctx, src, of, lim)
}

// show reads the first rows, those above the header too.
func (h *Head) show(ctx context.Context, src sheet.Source, lim sheet.Limits) error {
	return first(ctx, src, reader.Raw(h.Detected), lim, func(r *sheet.Row) (more bool) {
		if h.More = len(h.Rows) == shownRows; !h.More {
			h.Rows = append(h.Rows, rowview.New(r, h.Detected))
		}
		return !h.More
	})
}

// match finds out which fields of the type the columns are.
func (h *Head) match(ctx context.Context, src sheet.Source, of *Type, lim sheet.Limits) error {
	found, n := newSamples(len(h.Detected.Header)), 0
	err := first(ctx, src, h.Detected, lim, func(r *sheet.Row) (more bool) {
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
	h.Missing = h.missing(of)
	return nil
}

// missing says which required fields no column was taken for; nil where there are none.
func (h *Head) missing(of *Type) *Fault {
	var titles []string
	for _, f := range of.Fields {
		if f.Required && !slices.ContainsFunc(h.Columns, func(c Column) bool { return c.Field == f.Name }) {
			titles = append(titles, f.Title)
		}
	}
	if titles == nil {
		return nil
	}
	return &Fault{Code: problem.RequiredColumn, Message: fmt.Sprintf("The file has no column for: %s.", strings.Join(titles, ", "))}
}

// FaultOf is an error as people see it.
func FaultOf(err error) *Fault {
	e := problem.Of(err)
	return &Fault{Code: e.Code, Message: e.Message}
}

// first has each row, from the first on, until it says that it wants no more.
func first(ctx context.Context, src sheet.Source, d *sheet.Dialect, lim sheet.Limits, each func(*sheet.Row) (more bool)) (err error) {
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
