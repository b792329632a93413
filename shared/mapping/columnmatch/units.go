package columnmatch

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/transform"
)

// UnitConflict is a field with a column that names another unit than the field's, without a step that
// converts the numbers or says that they are in the field's unit.
type UnitConflict struct {
	Field *entity.Field
	Found string
}

// HeaderUnit returns the unit that a header names, if it differs from the field's, or the field's
// unit; "" if the field has no unit or the header names none.
func HeaderUnit(f *entity.Field, header string) (unit string) {
	if f.Unit == "" {
		return ""
	}
	for _, found := range transform.FindUnits(header, f.Unit) {
		if unit = found; unit != f.Unit {
			return unit
		}
	}
	return unit
}

// UnitConflicts returns the conflicts of the mapped columns, in their order.
func UnitConflicts(d *entity.Declaration, columns []job.MappedColumn) (conflicts []UnitConflict) {
	headers := make(map[int]string, len(columns))
	for i := range columns {
		if columns[i].ColumnIndex >= 0 {
			headers[columns[i].ColumnIndex] = columns[i].Header
		}
	}
	for i := range columns {
		c := &columns[i]
		at := d.FieldIndex(c.TargetField)
		if at < 0 || d.Fields[at].Unit == "" || transform.ConvertedUnit(c.Transforms) != "" {
			continue
		}
		f := &d.Fields[at]
		for _, place := range c.Columns() {
			if unit := HeaderUnit(f, headers[place]); unit != "" && unit != f.Unit {
				conflicts = append(conflicts, UnitConflict{f, unit})
				break
			}
		}
	}
	return conflicts
}

// Message says which unit was found, and what to do. It contains no header of the file: it may be
// in logs.
func (u *UnitConflict) Message() string {
	found := fmt.Sprintf("The column for %s is in %s, but the field is in %s.", u.Field.Title, u.Found, u.Field.Unit)
	if _, ok := transform.NewFactor(u.Found, u.Field.Unit); !ok {
		return fmt.Sprintf("%s Convert the values in the file, and name %s in the header.", found, u.Field.Unit)
	}
	return fmt.Sprintf(`%s Add the step {"op": "convert", "unit": "%s"} to the mapping of the field.`, found, u.Found)
}

// unitError is the error of a file whose columns are in other units than their fields.
func unitError(conflicts []UnitConflict) error {
	fault := problem.New(problem.UnitMismatch, "%s", conflicts[0].Message())
	for i := range conflicts {
		fault.With(conflicts[i].Field.Name, problem.UnitMismatch, conflicts[i].Message())
	}
	return fault
}

// UnitWarnings returns a warning, beginning with its code, for each field whose numbers a step
// converts.
func UnitWarnings(d *entity.Declaration, columns []job.MappedColumn) (lines []string) {
	for i := range columns {
		unit, at := transform.ConvertedUnit(columns[i].Transforms), d.FieldIndex(columns[i].TargetField)
		if unit != "" && at >= 0 && unit != d.Fields[at].Unit {
			lines = append(lines, fmt.Sprintf("%s: %s: the mapping converts the values from %s to %s", problem.UnitConverted, d.Fields[at].Title, unit, d.Fields[at].Unit))
		}
	}
	return lines
}
