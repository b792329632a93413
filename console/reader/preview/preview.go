// Package preview reads the beginning of a file as an import does first: its format, its
// reading options, its first rows, and the fields that its columns match. The console does so in
// the browser before the upload; errors have the messages that the import would fail with.
package preview

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/rowview"
)

// maxRows is the number of rows in a preview, including those above the header.
const maxRows = 8

// Result describes the beginning of a file.
type Result struct {
	Detected *sheet.Dialect           `json:"detected"`
	Evidence rowview.EncodingEvidence `json:"encodingEvidence,omitempty"` // "" for workbooks
	Sheets   []string                 `json:"sheets"`                     // names of the sheets with cells
	Rows     []rowview.DisplayRow     `json:"rows"`                       // the first rows of the file
	More     bool                     `json:"moreRows"`                   // whether more rows follow
	Columns  []Column                 `json:"columns"`                    // none without a type
	// Missing is REQUIRED_COLUMN_MISSING if no column matches a required field, as far as that is
	// known without asking a person.
	Missing *Problem `json:"missing,omitempty"`
}

// Column is a column of the file and the field that it matches.
type Column struct {
	Header string `json:"sourceHeader"`
	Field  string `json:"targetField,omitempty"` // "" for none
}

// Problem is an error of the file in the format of the API.
type Problem struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
}

// Read reads the beginning of a file for an import type, or without one if it is not known yet
// (nil). A *problem.Error is the error that the import would fail with.
func Read(ctx context.Context, src sheet.Source, name string, of *Type, lim sheet.Limits) (*Result, error) {
	return readSheet(ctx, src, name, of, nil, lim)
}

// readSheet reads the beginning of a sheet, or, if none is stated, of the one that an import reads.
func readSheet(ctx context.Context, src sheet.Source, name string, of *Type, index *int, lim sheet.Limits) (*Result, error) {
	dialect, err := reader.Detect(ctx, src, sheet.Options{OnlyBeginning: true, SheetIndex: index}, lim)
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
	matcher, err := mapping.New(of.Dictionary())
	if err != nil {
		return nil, err
	}
	if err := h.matchColumns(ctx, src, matcher, lim); err != nil {
		return nil, err
	}
	if index == nil {
		if better := h.betterSheet(sheets, of, matcher); better != nil {
			return readSheet(ctx, src, name, of, &better.Index, lim)
		}
	}
	h.Missing = h.missingError(of)
	return h, nil
}

// betterSheet returns the sheet that an import reads instead of this one; nil for none.
func (h *Result) betterSheet(all []sheet.Summary, of *Type, matcher *mapping.Matcher) *sheet.Summary {
	fieldsOf := func(header []string) sheet.Fields {
		found := make(sheet.Fields)
		for _, m := range newSamples(len(header)).match(matcher, header, false) {
			if m.Target != "" {
				found[m.Target] = true
			}
		}
		return found
	}
	complete := func(fields sheet.Fields) bool { return len(of.missingTitles(fields)) == 0 }
	return sheet.BetterSheet(all, h.Detected.SheetIndex, h.fields(), fieldsOf, complete)
}

// readRows reads the first rows, including those above the header.
func (h *Result) readRows(ctx context.Context, src sheet.Source, lim sheet.Limits) error {
	return eachRow(ctx, src, reader.RawDialect(h.Detected), lim, func(r *sheet.Row) (more bool) {
		if h.More = len(h.Rows) == maxRows; !h.More {
			h.Rows = append(h.Rows, rowview.NewDisplayRow(r, h.Detected))
		}
		return !h.More
	})
}

// matchColumns matches the columns to fields of the type.
func (h *Result) matchColumns(ctx context.Context, src sheet.Source, matcher *mapping.Matcher, lim sheet.Limits) error {
	found, n := newSamples(len(h.Detected.Header)), 0
	err := eachRow(ctx, src, h.Detected, lim, func(r *sheet.Row) (more bool) {
		found.add(r)
		n++
		return n < sampledRows
	})
	if err != nil {
		return err
	}
	for _, name := range h.Detected.Header {
		h.Columns = append(h.Columns, Column{Header: name})
	}
	for _, m := range found.match(matcher, h.Detected.Header, true) {
		h.Columns[m.Column.Index].Field = m.Target
	}
	return nil
}

// fields returns the fields that the columns match.
func (h *Result) fields() sheet.Fields {
	fields := make(sheet.Fields)
	for _, c := range h.Columns {
		if c.Field != "" {
			fields[c.Field] = true
		}
	}
	return fields
}

// missingError reports the required fields without a matching column, or nil.
func (h *Result) missingError(of *Type) *Problem {
	titles := of.missingTitles(h.fields())
	if titles == nil {
		return nil
	}
	return &Problem{Code: problem.RequiredColumnMissing, Message: fmt.Sprintf("The file has no column for: %s.", strings.Join(titles, ", "))}
}

// ProblemOf converts an error to the form that people see.
func ProblemOf(err error) *Problem {
	e := problem.From(err)
	return &Problem{Code: e.Code, Message: e.Message}
}

// eachRow calls each for every row from the first on, until it returns false.
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
