// Package apply applies a mapping that somebody has written down (package document)
// to the columns of a file, and writes down what columns and values were taken for:
// what Of has written, Apply makes of the same file again.
package apply

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/sheet"
)

// MissingColumn is a part of a document that a file has no columns for.
type MissingColumn struct {
	Field  string // of which nothing can be made
	Column string // which the file does not have, as the document names it
}

// String is the end of a warning: what is missing for what.
func (u MissingColumn) String() string {
	return fmt.Sprintf("%s is to be made of a column %.60q", u.Field, u.Column)
}

// ToColumns makes the columns of a file what a document says: all of its columns in file
// order, as something else has matched them before. What the document says of a column
// or a field stands before that:
//
//   - A column of which it makes a field, or that it ignores, is nothing else.
//   - A field that it makes is made of nothing else; a column that was taken for it is open.
//   - A field that it cannot make, because the file lacks the column, is made of nothing:
//     a column that was taken for it instead is open too. It is among the unfit.
//
// Columns that it says nothing of stay as they are. Further fields of columns that have
// one already, and constants, are entries of their own behind those of the columns.
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

// Applicable is the document without the fields of which the file lacks a column.
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

// applier is a document on its way to columns.
type applier struct {
	columns []job.MappedColumn
	rows    map[int]int // of columns, by their places in the file
	headers *document.Headers
	virtual int // the column index of the last entry that stands for no column
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
			continue // the document makes it otherwise
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

// releaseField leaves open what was taken for a field.
func (a *applier) releaseField(field string) {
	for i := range a.columns {
		if c := &a.columns[i]; c.TargetField == field {
			clearColumn(c, job.Unresolved)
			c.Confirmed, c.Decided = false, false
		}
	}
}

// reserveColumn makes a column nothing by itself.
func (a *applier) reserveColumn(place int, status job.MappingStatus) {
	if i, ok := a.rows[place]; ok {
		clearColumn(&a.columns[i], status)
		a.columns[i].Confirmed, a.columns[i].Decided = true, false
	}
}

// clearColumn takes from a column what was made of it.
func clearColumn(c *job.MappedColumn, status job.MappingStatus) {
	c.TargetField, c.Status, c.Confidence, c.MatchedBy = "", status, 0, ""
	c.ExtraColumns, c.Separator, c.Transforms = nil, "", nil
}

// columnPlaces are those of the columns of which a field is made; false where one is missing.
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

// reserveColumns makes the columns of a field nothing but that.
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

// addField enters a field: with its first column, where that makes no other field, or as an
// entry of its own.
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

// MarkMatchedBy notes by what the fields of a document that has been applied are matched.
func MarkMatchedBy(columns []job.MappedColumn, d *document.Document, by job.MatchedBy) {
	said := make(map[string]bool, len(d.Fields))
	for i := range d.Fields {
		said[d.Fields[i].Field] = true
	}
	for i := range columns {
		if said[columns[i].TargetField] {
			columns[i].MatchedBy = by
		}
	}
}

// ResetColumns are the columns of a file of which nothing is known: what stands for no column of
// its own is gone.
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

// ClearComposition takes from an entry how it is composed: from that of a column all, and from
// another one the steps.
func ClearComposition(c *job.MappedColumn) {
	if !c.IsComposed() {
		return
	}
	c.Locale, c.Transforms = sheet.Locale{}, nil
	if c.ColumnIndex >= 0 {
		c.ExtraColumns, c.Separator = nil, ""
	}
}

// setField makes an entry a field of a document, of its own column if it has one and of
// those further ones.
func setField(c *job.MappedColumn, f *document.Field, more []int) {
	c.TargetField, c.Status, c.Confidence, c.Confirmed = f.Field, job.ManualMatched, 1, true
	c.ExtraColumns, c.Separator, c.Constant, c.Transforms = more, "", f.Constant, f.Transforms
	if len(c.Columns()) > 1 {
		c.Separator = f.SeparatorText()
	}
	if c.IsComposed() {
		c.Locale = sheet.Locale{} // that of its column, if that, is one of other texts
	}
	c.Locale.DateOrder.SetStated(f.DateOrder)
	c.Locale.DecimalMark.SetStated(f.DecimalMark)
}
