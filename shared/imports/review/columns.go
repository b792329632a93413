package review

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/transform"
)

// ColumnStore keeps what the columns of files are, and what was decided about them.
type ColumnStore interface {
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	SaveColumnDecisions(ctx context.Context, tx pgx.Tx, key job.Key, mappings []job.MappedColumn) error
	SaveColumnsDecidedBy(ctx context.Context, tx pgx.Tx, key job.Key, by string) error
	ColumnsDecidedBy(ctx context.Context, tx pgx.Tx, key job.Key) (string, error)
}

// ColumnDecision says one thing about a column of the file: that what it was taken for
// is right, what it is, or that it is to be left out. It may say as well, or only,
// how the column's dates and numbers are read; without an ID that holds for all
// columns of which it is not said by itself.
type ColumnDecision struct {
	ID          int64  `json:"id"`
	Confirm     bool   `json:"confirm"`
	TargetField string `json:"targetField"`
	Ignore      bool   `json:"ignore"`
	DateOrder   string `json:"dateOrder"`   // as of sheet.Locale, or ""
	DecimalMark string `json:"decimalMark"` // as of sheet.Locale, or ""
	// The rest says how TargetField is composed, as in document.Field: of the column with
	// the ID, or without an ID of those columns or of a constant.
	From       []string         `json:"from"`
	Separator  *string          `json:"separator"`
	Constant   *string          `json:"constant"`
	Transforms []transform.Step `json:"transforms"`
}

// Columns returns what is known of a job's columns.
func (s *Service) Columns(ctx context.Context, ref job.Ref) (j *job.Job, columns []job.MappedColumn, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		if j, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		columns, err = s.store.ColumnMappings(ctx, tx, j.Key)
		return err
	})
	return j, columns, err
}

// DecideColumns stores decisions about columns that somebody has made, who is "" where
// nobody knows. On MAPPING_INVALID none is stored; on
// MAPPING_INCOMPLETE all are, and the error says which required fields are missing, and
// of which columns it must be said how they are read.
func (s *Service) DecideColumns(ctx context.Context, ref job.Ref, by string, said []ColumnDecision) (j *job.Job, columns []job.MappedColumn, err error) {
	var decl *entity.Declaration
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		if j, err = s.lockJob(ctx, tx, ref.JobID, job.ColumnMapping); err != nil {
			return err
		}
		if decl, err = s.declaration(j); err != nil {
			return err
		}
		if columns, err = s.store.ColumnMappings(ctx, tx, j.Key); err != nil {
			return err
		}
		if columns, err = s.decideColumns(ctx, tx, j, decl, columns, said); err != nil {
			return err
		}
		return s.store.SaveColumnsDecidedBy(ctx, tx, j.Key, by)
	})
	if err != nil {
		return nil, nil, err
	}
	return j, columns, incompleteError(decl, columns, false)
}

// decideColumns applies decisions and keeps what came of them.
func (s *Service) decideColumns(ctx context.Context, tx pgx.Tx, j *job.Job, decl *entity.Declaration, columns []job.MappedColumn, said []ColumnDecision) ([]job.MappedColumn, error) {
	before, err := s.loadGivenMapping(ctx, tx, j)
	if err != nil {
		return nil, err
	}
	changed, err := applyColumnDecisions(decl, columns, withoutCompositions(said))
	if err != nil {
		return nil, err
	}
	columns, composed, err := applyCompositions(decl, columns, said)
	if err != nil {
		return nil, err
	}
	if !composed && before == nil {
		return columns, s.store.SaveColumnDecisions(ctx, tx, j.Key, changed)
	}
	if err := s.store.ReplaceColumns(ctx, tx, j, columns); err != nil {
		return nil, err
	}
	if columns, err = s.store.ColumnMappings(ctx, tx, j.Key); err != nil {
		return nil, err
	}
	return columns, s.saveColumnDecisions(ctx, tx, j, columns, before)
}

// applyColumnDecisions changes the mappings as decided and returns those that changed.
func applyColumnDecisions(decl *entity.Declaration, columns []job.MappedColumn, decisions []ColumnDecision) ([]job.MappedColumn, error) {
	places := make(map[int64]int, len(columns))
	for i, c := range columns {
		places[c.ID] = i
	}
	all, err := applyLocales(columns, decisions)
	if err != nil {
		return nil, err
	}
	changed := make([]job.MappedColumn, 0, len(decisions))
	seen := make(map[int64]bool, len(decisions))
	for _, a := range decisions {
		if a.ID == 0 {
			continue
		}
		i, known := places[a.ID]
		if !known || seen[a.ID] {
			return nil, invalidDecision("The id %d is not that of a column of this import, or is there twice.", a.ID)
		}
		seen[a.ID] = true
		if err := applyColumnDecision(decl, &columns[i], a); err != nil {
			return nil, err
		}
		changed = append(changed, columns[i])
	}
	if all {
		changed = columns
	}
	taken := make(map[string]bool, len(columns))
	for _, c := range columns {
		if c.TargetField != "" && taken[c.TargetField] {
			return nil, invalidDecision("More than one column is %s; ignore all but one.", c.TargetField).
				With(c.TargetField, problem.MappingInvalid, "Each field is taken once.")
		}
		taken[c.TargetField] = true
	}
	return changed, nil
}

func applyColumnDecision(decl *entity.Declaration, c *job.MappedColumn, a ColumnDecision) error {
	things := 0
	for _, is := range []bool{a.Confirm, a.TargetField != "", a.Ignore} {
		if is {
			things++
		}
	}
	defer func() {
		c.Locale.DateOrder.SetStated(a.DateOrder)
		c.Locale.DecimalMark.SetStated(a.DecimalMark)
	}()
	switch {
	case things == 0 && a.hasLocale():
		return nil
	case things != 1:
		return invalidDecision("Say one thing about the column %d: confirm, targetField or ignore; and how it is read, if need be.", a.ID)
	case a.Confirm && c.TargetField == "":
		return invalidDecision("The column %d was taken for nothing that could be confirmed.", a.ID)
	case a.Ignore:
		apply.ClearComposition(c)
		c.TargetField, c.Status, c.Confidence, c.MatchedBy = "", job.Ignored, 0, job.ByPerson
	case a.TargetField != "":
		if decl.FieldIndex(a.TargetField) < 0 {
			return invalidDecision("%s have no such field.", decl.Title).
				With(entity.Shorten(a.TargetField), problem.MappingInvalid, "One of the fields that GET /api/import-types lists.")
		}
		apply.ClearComposition(c)
		c.TargetField, c.Status, c.Confidence, c.MatchedBy = a.TargetField, job.ManualMatched, 1, job.ByPerson
	default:
		c.Status = job.ManualMatched
	}
	c.Confirmed, c.Decided = true, true
	return nil
}

// incompleteError says what must still be said about the columns: which are the required
// fields, and how those are read whose cells do not show it. Without the last, such
// cells are errors; that is what a caller wants who starts without being asked.
func incompleteError(decl *entity.Declaration, columns []job.MappedColumn, unasked bool) error {
	fault := problem.New(problem.MappingIncomplete, "What was said is kept. Not all that must be known of the columns has been said yet.")
	for _, f := range decl.MissingFields(job.TargetFields(columns)) {
		fault.With(f.Name, problem.RequiredColumnMissing, "Say which column is: "+f.Title+".")
	}
	for _, u := range rows.UncertainColumns(decl, columns) {
		if u.Finding.IsUndecided() && !unasked {
			fault.With(u.Column.TargetField, u.Required, fmt.Sprintf("%d cells of the column can be read in several ways. State its %s.", u.Finding.Ambiguous, u.Option))
		}
	}
	if len(fault.Fields) > 0 {
		return fault
	}
	return nil
}

// ConfirmColumns confirms the columns as they stand, leaves those out that are
// nothing, and lets the import go on to the values.
func (s *Service) ConfirmColumns(ctx context.Context, ref job.Ref) (*job.Job, error) {
	return s.finishColumns(ctx, ref, job.Transition{To: job.CellMapping, ExpectedFrom: job.ColumnMapping, Provisional: true})
}

func (s *Service) finishColumns(ctx context.Context, ref job.Ref, t job.Transition) (*job.Job, error) {
	return s.endWait(ctx, ref, job.ColumnMapping, job.PhaseColumns, t, func(ctx context.Context, tx pgx.Tx, j *job.Job) error {
		return s.confirmColumns(ctx, tx, j, t.CellsSkipped)
	})
}

// confirmColumns confirms what is matched, and ignores what is not.
func (s *Service) confirmColumns(ctx context.Context, tx pgx.Tx, j *job.Job, unasked bool) error {
	decl, err := s.declaration(j)
	if err != nil {
		return err
	}
	columns, err := s.store.ColumnMappings(ctx, tx, j.Key)
	if err != nil {
		return err
	}
	if err := incompleteError(decl, columns, unasked); err != nil {
		return err
	}
	var changed []job.MappedColumn
	for i := range columns {
		c := &columns[i]
		if c.Confirmed && c.Status != job.Unresolved {
			continue
		}
		if c.Confirmed = true; c.Status == job.Unresolved {
			c.Status = job.Ignored
		}
		changed = append(changed, *c)
	}
	return s.store.SaveColumnDecisions(ctx, tx, j.Key, changed)
}
