// Package apply applies a mapping document (package document) to the columns of a file, and
// creates documents from column and value mappings: applied to the same file again, the
// result of DocumentOf yields the same mappings.
package apply

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/sheet"
)

// MissingColumn is a part of a document for which the file has no column.
type MissingColumn struct {
	Field  string // field that cannot be filled
	Column string // missing column, as named by the document
}

// String returns the end of a warning: what is missing for which field.
func (u MissingColumn) String() string {
	return fmt.Sprintf("%s uses the column %.60q", u.Field, u.Column)
}

// ToColumns applies a document to the columns of a file. columns contains all columns in file
// order with their automatic matches. The document's entry for a column or a field takes
// precedence over those:
//
//   - A column that is used or ignored by the document has no other meaning.
//   - A field of the document is composed of nothing else; a column that was matched to it
//     becomes unresolved.
//   - A field with a column that the file lacks stays without a source: a column that was
//     matched to it becomes unresolved too. The field is returned in unfit.
//
// Columns without an entry are unchanged. Further fields of columns that already have one,
// and constants, are appended as separate entries.
func ToColumns(d *document.Document, columns []job.MappedColumn) (applied []job.MappedColumn, unfit []MissingColumn) {
	a := newApplier(d, columns)
	for i := range d.Fields {
		a.releaseField(d.Fields[i].Field)
	}
	for _, name := range d.Ignore {
		if place, ok := a.headers.Place(name); ok {
			a.reserveColumn(place, job.Ignored)
		}
	}
	for i := range d.Fields {
		a.reserveColumns(&d.Fields[i])
	}
	for i := range d.Fields {
		a.addField(&d.Fields[i])
	}
	return a.columns, a.missing
}

// Applicable returns the document without the fields that need a column the file lacks.
func Applicable(d *document.Document, columns []job.MappedColumn) *document.Document {
	a, fits := newApplier(d, columns), *d
	fits.Fields = nil
	for _, f := range d.Fields {
		if _, ok := a.columnPlaces(&f); ok {
			fits.Fields = append(fits.Fields, f)
		}
	}
	return &fits
}

// applier is the state of applying a document to columns.
type applier struct {
	columns []job.MappedColumn
	rows    map[int]int // indexes of columns, by their positions in the file
	headers *document.Headers
	virtual int // column index of the last entry without a column
	missing []MissingColumn
}

func newApplier(d *document.Document, columns []job.MappedColumn) *applier {
	made := make(map[string]bool, len(d.Fields))
	for i := range d.Fields {
		made[d.Fields[i].Field] = true
	}
	a := &applier{rows: make(map[int]int)}
	var header []string
	for _, c := range columns {
		if c.ColumnIndex < 0 && made[c.TargetField] {
			continue // the document has another source for it
		}
		a.virtual = min(a.virtual, c.ColumnIndex)
		if c.ColumnIndex >= 0 {
			for len(header) <= c.ColumnIndex {
				header = append(header, "")
			}
			header[c.ColumnIndex] = c.Header
			a.rows[c.ColumnIndex] = len(a.columns)
		}
		a.columns = append(a.columns, c)
	}
	a.headers = document.NewHeaders(header)
	return a
}

// releaseField makes entries that were matched to a field unresolved.
func (a *applier) releaseField(field string) {
	for i := range a.columns {
		if c := &a.columns[i]; c.TargetField == field {
			clearColumn(c, job.Unresolved)
			c.Confirmed, c.Decided = false, false
		}
	}
}

// reserveColumn removes a column's own match.
func (a *applier) reserveColumn(place int, status job.MappingStatus) {
	if i, ok := a.rows[place]; ok {
		clearColumn(&a.columns[i], status)
		a.columns[i].Confirmed, a.columns[i].Decided = true, false
	}
}

// clearColumn removes the match of a column.
func clearColumn(c *job.MappedColumn, status job.MappingStatus) {
	c.TargetField, c.Status, c.Confidence, c.MatchedBy = "", status, 0, ""
	c.ExtraColumns, c.Separator, c.Transforms = nil, "", nil
}

// columnPlaces returns the positions of the columns that a field is composed of; false if one
// is missing.
func (a *applier) columnPlaces(f *document.Field) ([]int, bool) {
	places := make([]int, len(f.From))
	for i, name := range f.From {
		place, ok := a.headers.Place(name)
		if _, mapped := a.rows[place]; !ok || !mapped {
			return []int{i}, false
		}
		places[i] = place
	}
	return places, true
}

// reserveColumns reserves the columns of a field for that field.
func (a *applier) reserveColumns(f *document.Field) {
	places, ok := a.columnPlaces(f)
	if !ok {
		a.missing = append(a.missing, MissingColumn{Field: f.Field, Column: f.From[places[0]]})
		return
	}
	for _, place := range places {
		a.reserveColumn(place, job.ManualMatched)
	}
}

// addField adds a field: to the entry of its first column if that has no other field, or as a
// separate entry.
func (a *applier) addField(f *document.Field) {
	places, ok := a.columnPlaces(f)
	if !ok {
		return
	}
	var own *job.MappedColumn
	if len(places) > 0 {
		own = &a.columns[a.rows[places[0]]]
	}
	if own != nil && own.TargetField == "" {
		setField(own, f, places[1:])
		return
	}
	a.virtual--
	entry := job.MappedColumn{ColumnIndex: a.virtual}
	if own != nil {
		entry.Header, entry.Samples = own.Header, own.Samples
	}
	setField(&entry, f, places)
	a.columns = append(a.columns, entry)
}

// MarkMatchedBy sets the basis of the matches of the fields of an applied document.
func MarkMatchedBy(columns []job.MappedColumn, d *document.Document, by job.MatchedBy) {
	mapped := make(map[string]bool, len(d.Fields))
	for i := range d.Fields {
		mapped[d.Fields[i].Field] = true
	}
	for i := range columns {
		if mapped[columns[i].TargetField] {
			columns[i].MatchedBy = by
		}
	}
}

// ResetColumns returns the columns of a file without any match, and drops the entries without
// a column of their own.
func ResetColumns(columns []job.MappedColumn) (open []job.MappedColumn) {
	for _, c := range columns {
		if c.ColumnIndex < 0 {
			continue
		}
		ClearComposition(&c)
		clearColumn(&c, job.Unresolved)
		c.Confirmed, c.Decided = false, false
		open = append(open, c)
	}
	return open
}

// ClearComposition removes the composition of a column's entry, and the steps of any other.
func ClearComposition(c *job.MappedColumn) {
	if !c.IsComposed() {
		return
	}
	c.Locale, c.Transforms = sheet.Locale{}, nil
	if c.ColumnIndex >= 0 {
		c.ExtraColumns, c.Separator = nil, ""
	}
}

// setField sets an entry to a field of a document, composed of the entry's own column, if it
// has one, and further columns.
func setField(c *job.MappedColumn, f *document.Field, more []int) {
	c.TargetField, c.Status, c.Confidence, c.Confirmed = f.Field, job.ManualMatched, 1, true
	c.ExtraColumns, c.Separator, c.Constant, c.Transforms = more, "", f.Constant, f.Transforms
	if len(c.Columns()) > 1 {
		c.Separator = f.SeparatorText()
	}
	if c.IsComposed() {
		c.Locale = sheet.Locale{} // that of the column, if any, applies to other texts
	}
	c.Locale.DateOrder.SetStated(f.DateOrder)
	c.Locale.DecimalMark.SetStated(f.DecimalMark)
}
