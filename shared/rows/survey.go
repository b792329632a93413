package rows

import (
	"context"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
	"github.com/loadbay/loadbay/shared/transform"
)

// LocaleSurvey determines from all rows of a file how composed texts are parsed, as value.Survey
// does for unchanged columns.
type LocaleSurvey struct {
	columns   []job.MappedColumn
	open      []int // indexes of columns
	composers []*Composer
	budget    *transform.Budget
	survey    *value.Survey
	row       sheet.Row // row for the survey: one cell per open column
}

// NewLocaleSurvey returns a survey of the columns with a relevant property neither stated nor
// determined: of the composed ones only, or of all.
//
// The work of their steps is limited: the rows beyond add nothing to the findings of composed texts.
func NewLocaleSurvey(ctx context.Context, d *entity.Declaration, columns []job.MappedColumn, dialect *sheet.Dialect, all bool) (*LocaleSurvey, error) {
	s := &LocaleSurvey{columns: columns, budget: transform.NewBudget()}
	s.budget.Limit(ctx, transform.NewAllowance(transform.SurveyWork))
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
		s.composers = append(s.composers, made.NewComposer(dialect, s.budget))
	}
	like := *dialect
	like.Header = make([]string, len(s.open))
	s.survey = value.NewSurvey(&like)
	s.row.Cells = make([]sheet.Cell, len(s.open))
	return s, nil
}

// LimitToRequest limits the work to that of an ordinary API request.
func (s *LocaleSurvey) LimitToRequest(ctx context.Context) {
	s.budget.Limit(ctx, transform.NewAllowance(transform.OrdinaryWork))
}

// Needed reports whether any property is undetermined.
func (s *LocaleSurvey) Needed() bool { return len(s.open) > 0 }

// Add adds a row to the survey. Cells that cannot be composed are ignored.
func (s *LocaleSurvey) Add(r *sheet.Row) {
	StartRow(s.budget, r)
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

// Finish sets the findings of the surveyed columns and returns the columns. Stated properties
// stay unchanged.
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

// statedValue returns the value stated by the caller, or "".
func statedValue(f sheet.Finding) string {
	if f.Evidence != sheet.Stated {
		return ""
	}
	return f.Value
}
