package rows

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// LocaleSurvey finds out from all rows of a file how composed texts are read, as value.Survey
// does of columns as they stand.
type LocaleSurvey struct {
	columns   []job.MappedColumn
	open      []int // of columns
	composers []*Composer
	survey    *value.Survey
	row       sheet.Row // as the survey looks at it: a cell for each of open
}

// NewLocaleSurvey returns a survey of those columns of a file of which it matters and is
// neither stated nor found out how they are read: of the composed ones, or of all.
func NewLocaleSurvey(d *entity.Declaration, columns []job.MappedColumn, dialect *sheet.Dialect, all bool) (*LocaleSurvey, error) {
	s := &LocaleSurvey{columns: columns}
	for i := range columns {
		c := &columns[i]
		if !isLocaleUnknown(d, c) || !all && !c.IsComposed() {
			continue
		}
		made, err := NewComposition(&d.Fields[d.FieldIndex(c.TargetField)], c)
		if err != nil {
			return nil, err
		}
		s.open = append(s.open, i)
		s.composers = append(s.composers, made.NewComposer(dialect))
	}
	like := *dialect
	like.Header = make([]string, len(s.open))
	s.survey = value.NewSurvey(&like)
	s.row.Cells = make([]sheet.Cell, len(s.open))
	return s, nil
}

// Needed reports whether there is anything to find out.
func (s *LocaleSurvey) Needed() bool { return len(s.open) > 0 }

// Add looks at a row. Cells that cannot be composed say nothing.
func (s *LocaleSurvey) Add(r *sheet.Row) {
	for i, c := range s.composers {
		cell, misfit := c.Cell(r)
		if misfit != nil {
			cell = sheet.Cell{}
		}
		s.row.Cells[i] = cell
	}
	s.row.ErrorCode = r.ErrorCode
	s.survey.Add(&s.row)
}

// Finish enters into the columns what the rows so far say, and returns those columns.
// What somebody has stated stays.
func (s *LocaleSurvey) Finish() []job.MappedColumn {
	settled := make([]job.MappedColumn, len(s.open))
	for i, place := range s.open {
		c := &s.columns[place]
		found := s.survey.Locale(i)
		found.DateOrder.SetStated(statedValue(c.Locale.DateOrder))
		found.DecimalMark.SetStated(statedValue(c.Locale.DecimalMark))
		c.Locale = found
		settled[i] = *c
	}
	return settled
}

// statedValue is what a caller has said, or "".
func statedValue(f sheet.Finding) string {
	if f.Evidence != sheet.Stated {
		return ""
	}
	return f.Value
}
