package columnmatch

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// UnusedColumns returns the unused columns among all columns of a file, in file order. It must be
// called before ConfirmMatches, which ignores undecided columns.
func UnusedColumns(columns []job.MappedColumn) (unused []job.UnusedColumn) {
	used, names := job.FieldsByColumn(columns), namesOf(columns)
	for i := range columns {
		c := &columns[i]
		if c.Status == job.Unresolved && c.ColumnIndex >= 0 && c.Content.Filled > 0 && len(used[c.ColumnIndex]) == 0 {
			unused = append(unused, job.UnusedColumn{Name: names(c), Values: c.Content.Filled})
		}
	}
	return unused
}

// namesOf returns the names of columns in a mapping.
func namesOf(columns []job.MappedColumn) func(*job.MappedColumn) string {
	var header []string
	for i := range columns {
		if place := columns[i].ColumnIndex; place >= 0 {
			for len(header) <= place {
				header = append(header, "")
			}
			header[place] = columns[i].Header
		}
	}
	names := document.NewHeaders(header)
	return func(c *job.MappedColumn) string { return names.Name(c.ColumnIndex) }
}

// maxListed limits how many columns are listed individually.
const maxListed = 50

// UnusedWarnings returns a warning for each unused column, beginning with its code; the last one
// counts those that are not listed. All rows must have been counted.
func UnusedWarnings(unused []job.UnusedColumn) (lines []string) {
	for i, c := range unused {
		if i == maxListed {
			return append(lines, fmt.Sprintf("%s: %d more columns with values are not used", problem.ColumnUnused, len(unused)-i))
		}
		lines = append(lines, c.Warning())
	}
	return lines
}

// UnusedError returns the error of a strict import with unused columns; nil if there are none, or the
// import is not strict. complete reports whether all rows were counted.
func UnusedError(options job.StoredOptions, unused []job.UnusedColumn, complete bool) error {
	if len(unused) == 0 || !options.IsStrict() {
		return nil
	}
	names := make([]string, 0, maxNamed)
	for _, c := range unused[:min(maxNamed, len(unused))] {
		names = append(names, fmt.Sprintf("%.60q (%s)", c.Name, count(c, complete)))
	}
	if more := len(unused) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	fault := problem.New(problem.ColumnUnused, "The import is strict, and no field receives these columns: %s. Match or ignore them in the mapping, or turn strict off.", strings.Join(names, ", "))
	fault.Unlogged = true
	for i := range unused[:min(maxListed, len(unused))] {
		fault.With(unused[i].Name, problem.ColumnUnused, "A column with "+count(unused[i], complete)+" that no field receives.")
	}
	return fault
}

// BeyondError returns the error of a strict import with values in columns without a header that occur
// only far down in the workbook; nil for others.
func BeyondError(options job.StoredOptions, counts sheet.Counts) error {
	l := counts.Layout
	if l.Beyond == 0 || !options.IsStrict() {
		return nil
	}
	return problem.New(problem.ColumnUnused,
		"The import is strict, and values right of the last column are not used: %d, starting with row %d. Add a header, remove the values, or turn strict off.", l.Beyond, l.FirstBeyond)
}

// count describes the number of values of a column, which is known if the file was read completely.
func count(c job.UnusedColumn, complete bool) string {
	if complete {
		return c.Count()
	}
	return "values"
}

// ContestedField is a field without a source, because several columns match it equally well and
// nobody has decided between them.
type ContestedField struct {
	Field   *entity.Field
	Columns []string // undecided ones, by their names in a mapping
}

// ContestedFields returns the contested fields, in the order of their first columns. Columns
// without any value do not count as contested: nothing is lost with them.
func ContestedFields(d *entity.Declaration, columns []job.MappedColumn) (contested []ContestedField) {
	mapped, names := job.TargetFields(columns), namesOf(columns)
	places, filled := make(map[string]int), make(map[string]bool)
	for i := range columns {
		filled[columns[i].Content.Contested] = filled[columns[i].Content.Contested] || columns[i].Content.Filled > 0
	}
	for i := range columns {
		c := &columns[i]
		field := d.FieldIndex(c.Content.Contested)
		if field < 0 || c.Status != job.Unresolved || mapped[c.Content.Contested] || !filled[c.Content.Contested] {
			continue
		}
		place, known := places[c.Content.Contested]
		if !known {
			place = len(contested)
			places[c.Content.Contested] = place
			contested = append(contested, ContestedField{Field: &d.Fields[field]})
		}
		contested[place].Columns = append(contested[place].Columns, names(c))
	}
	return contested
}

// maxNamed limits how many columns a message names.
const maxNamed = 5

// Message names the columns and the field. The names may be in logs: they are those of a field, or
// similar to them.
func (f *ContestedField) Message() string {
	names := make([]string, 0, maxNamed)
	for _, name := range f.Columns[:min(maxNamed, len(f.Columns))] {
		names = append(names, fmt.Sprintf("%.60q", name))
	}
	if len(names) == 1 {
		return fmt.Sprintf("The column %s and another column match %s equally well.", names[0], f.Field.Title)
	}
	return fmt.Sprintf("The columns %s match %s equally well.", strings.Join(names, ", "), f.Field.Title)
}

// UndecidedError returns why the columns cannot be confirmed without a person: COLUMN_AMBIGUOUS,
// REQUIRED_COLUMN_MISSING or UNIT_MISMATCH; nil if they can.
func UndecidedError(d *entity.Declaration, columns []job.MappedColumn) error {
	if contested := ContestedFields(d, columns); len(contested) > 0 {
		return ambiguousColumnsError(contested)
	}
	if missing := d.MissingFields(job.TargetFields(columns)); len(missing) > 0 {
		return missingColumnsError(missing)
	}
	if conflicts := UnitConflicts(d, columns); len(conflicts) > 0 {
		return unitError(conflicts)
	}
	return nil
}

// ambiguousColumnsError is the error of a file with contested fields.
func ambiguousColumnsError(contested []ContestedField) error {
	fault := problem.New(problem.ColumnAmbiguous, "%s Rename or remove all but one of them, or choose one in the mapping.", contested[0].Message())
	for i := range contested {
		fault.With(contested[i].Field.Name, problem.ColumnAmbiguous, contested[i].Message())
	}
	return fault
}
