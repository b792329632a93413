package declared

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// altered returns the SQL of the fields, separated by commas, that are not stored with the values of the
// file, v, as the column's type holds them. Empty cells do not count: the table has a value of its own.
func (w *writer) altered(stored func(f *field) string, fields []int) string {
	slices.Sort(fields)
	flags := make([]string, len(fields))
	for i, at := range fields {
		f := &w.fields[at]
		value := "v." + cell(at)
		flags[i] = fmt.Sprintf("CASE WHEN %s IS NOT NULL AND %s THEN '%d' END", value, differs(f.Column, stored(f), f.compared(value)), at)
	}
	return "concat_ws(',', " + strings.Join(append(flags, "NULL"), ", ") + ")"
}

// parsePlaces reads entries "place:fields", and returns the fields by 0-based place.
func parsePlaces(text string) map[int]string {
	places := make(map[int]string)
	for entry := range strings.FieldsSeq(text) {
		place, fields, _ := strings.Cut(entry, ":")
		if n, err := strconv.Atoi(place); err == nil {
			places[n-1] = fields
		}
	}
	return places
}

// warnAltered warns about values that a trigger has changed.
func (w *writer) warnAltered(of *target, fields string) {
	for text := range strings.SplitSeq(fields, ",") {
		at, err := strconv.Atoi(text)
		if err != nil {
			continue // no field
		}
		w.warn(of.last(), rowwrite.Error{
			Field: w.fieldName(at), Code: problem.ChangedByTrigger, Value: w.b.Columns[at].Display(of.last()),
			Message: "A trigger of the table stored another value. Compare the entry with the file.",
		})
	}
}

// rounds reports whether the column rounds the field's numbers, as its declaration allows.
func (f *field) rounds() bool {
	return f.kind == entity.Decimal && (f.declared.Rounding == "warn" || f.declared.Rounding == "halfUp") &&
		(f.Precision > 0 || kindsByType[f.Base] == entity.Integer)
}

// warnRounded warns about written numbers with more decimals than their column stores.
func (w *writer) warnRounded() {
	for _, at := range w.written {
		f := &w.fields[at]
		if f.declared.Rounding != "warn" || !f.rounds() {
			continue
		}
		for i := range w.b.Results {
			outcome := w.b.Results[i].Outcome
			if outcome != rowwrite.Created && outcome != rowwrite.Updated {
				continue
			}
			if value, ok := w.b.Columns[at].Bytes(i); ok && entity.DecimalsOf(value) > max(0, f.Scale) {
				w.warn(i, rowwrite.Error{
					Field: f.declared.Name, Code: problem.ValueRounded, Value: w.b.Columns[at].Display(i),
					Message: fmt.Sprintf("The number was rounded to %d decimals.", max(0, f.Scale)),
				})
			}
		}
	}
}
