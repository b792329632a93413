package review

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/transform"
)

// ColumnStore stores the matches of columns and the decisions about them.
type ColumnStore interface {
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	SaveColumnDecisions(ctx context.Context, tx pgx.Tx, key job.Key, mappings []job.MappedColumn) error
	SaveColumnsDecidedBy(ctx context.Context, tx pgx.Tx, key job.Key, by string) error
	ColumnsDecidedBy(ctx context.Context, tx pgx.Tx, key job.Key) (string, error)
	AddWarnings(ctx context.Context, tx pgx.Tx, key job.Key, warnings []string) error
}

// ColumnDecision is one decision about a column of the file: to confirm its match, to match
// it to a field, or to ignore it. In addition, or instead, it sets how the column's dates
// and numbers are read; without an ID these formats apply to all columns that have no such
// decision themselves.
type ColumnDecision struct {
	ID          int64  `json:"id"`
	Confirm     bool   `json:"confirm"`
	TargetField string `json:"targetField"`
	Ignore      bool   `json:"ignore"`
	DateOrder   string `json:"dateOrder"`   // as in sheet.Locale, or ""
	DecimalMark string `json:"decimalMark"` // as in sheet.Locale, or ""
	// The remaining members define how TargetField is composed, as in document.Field: from the
	// column with the ID or, without an ID, from these columns or from a constant.
	From       []string         `json:"from"`
	Separator  *string          `json:"separator"`
	Constant   *string          `json:"constant"`
	Transforms []transform.Step `json:"transforms"`
}

// Columns returns the column mappings of a job's file.
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

// DecideColumns saves decisions about columns; by is the person who decided, or "" if
// unknown. On MAPPING_INVALID none is saved; on MAPPING_INCOMPLETE all are saved, and the
// error lists the missing required fields and the columns with an undecided format.
func (s *Service) DecideColumns(ctx context.Context, ref job.Ref, by string, decisions []ColumnDecision) (j *job.Job, columns []job.MappedColumn, err error) {
	var decl *entity.Declaration
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		if j, err = s.lockJob(ctx, tx, ref.JobID, job.ColumnMapping); err != nil {
			return err
		}
		if decl, err = s.declaration(ctx, tx, j); err != nil {
			return err
		}
		if columns, err = s.store.ColumnMappings(ctx, tx, j.Key); err != nil {
			return err
		}
		if columns, err = s.decideColumns(ctx, tx, j, decl, columns, decisions); err != nil {
			return err
		}
		return s.store.SaveColumnsDecidedBy(ctx, tx, j.Key, by)
	})
	if err != nil {
		return nil, nil, err
	}
	return j, columns, incompleteError(decl, columns, false)
}

// decideColumns applies decisions and saves the result.
func (s *Service) decideColumns(ctx context.Context, tx pgx.Tx, j *job.Job, decl *entity.Declaration, columns []job.MappedColumn, decisions []ColumnDecision) ([]job.MappedColumn, error) {
	before, err := s.loadGivenMapping(ctx, tx, j)
	if err != nil {
		return nil, err
	}
	changed, err := applyColumnDecisions(decl, columns, withoutCompositions(decisions))
	if err != nil {
		return nil, err
	}
	columns, composed, err := applyCompositions(decl, columns, decisions)
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

// applyColumnDecisions changes the mappings as decided and returns the changed ones.
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
			return nil, invalidDecision("This import has no column with ID %d, or the ID occurs twice.", a.ID)
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
			return nil, invalidDecision("More than one column is matched to %s. Ignore all but one.", c.TargetField).
				With(c.TargetField, problem.MappingInvalid, "A field can be matched to one column only.")
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
		return invalidDecision("Choose exactly one action for the column %d: confirm, targetField or ignore.", a.ID)
	case a.Confirm && c.TargetField == "":
		return invalidDecision("The column %d has no suggested field to confirm.", a.ID)
	case a.Ignore:
		apply.ClearComposition(c)
		c.TargetField, c.Status, c.Confidence, c.MatchedBy = "", job.Ignored, 0, job.ByPerson
	case a.TargetField != "":
		if decl.FieldIndex(a.TargetField) < 0 {
			return invalidDecision("%s do not have this field.", decl.Title).
				With(entity.Shorten(a.TargetField), problem.MappingInvalid, "One of the fields in GET /api/import-types.")
		}
		apply.ClearComposition(c)
		c.TargetField, c.Status, c.Confidence, c.MatchedBy = a.TargetField, job.ManualMatched, 1, job.ByPerson
	default:
		c.Status = job.ManualMatched
	}
	c.Confirmed, c.Decided = true, true
	return nil
}

// incompleteError lists the decisions that are missing: columns for required fields, and
// formats that cannot be detected from the cells. If unasked, undecided formats are not
// reported: those cells are errors, as expected by a caller who starts without being asked.
func incompleteError(decl *entity.Declaration, columns []job.MappedColumn, unasked bool) error {
	fault := problem.New(problem.MappingIncomplete, "Your answers were saved. Some columns still need a decision.")
	contested := columnmatch.ContestedFields(decl, columns)
	for i := range contested {
		fault.With(contested[i].Field.Name, problem.ColumnAmbiguous, contested[i].Message()+" Match one of them, or ignore all of them.")
	}
	for _, f := range decl.MissingFields(job.TargetFields(columns)) {
		fault.With(f.Name, problem.RequiredColumnMissing, "Select the column for: "+f.Title+".")
	}
	conflicts := columnmatch.UnitConflicts(decl, columns)
	for i := range conflicts {
		fault.With(conflicts[i].Field.Name, problem.UnitMismatch, conflicts[i].Message())
	}
	for _, u := range rows.UncertainColumns(decl, columns) {
		if !u.Finding.IsUndecided() || unasked {
			continue
		}
		what := fmt.Sprintf("Ambiguous cells of the column: %d.", u.Finding.Ambiguous)
		if u.Finding.MixesOrders() {
			what = fmt.Sprintf("The column mixes date orders: %s.", rows.MixedOrders(u.Finding))
		}
		message := fmt.Sprintf("%s Set its date order.", what)
		if u.Required == problem.DecimalMarkRequired {
			message = fmt.Sprintf("%s Set its decimal mark.", what)
		}
		fault.With(u.Column.TargetField, u.Required, message)
	}
	if len(fault.Fields) > 0 {
		return fault
	}
	return nil
}

// ConfirmColumns confirms the columns in their current state, ignores unmatched ones, and
// lets the import continue with the values.
func (s *Service) ConfirmColumns(ctx context.Context, ref job.Ref, by string) (*job.Job, error) {
	return s.finishColumns(ctx, ref, by, job.Transition{To: job.CellMapping, ExpectedFrom: job.ColumnMapping, Provisional: true})
}

func (s *Service) finishColumns(ctx context.Context, ref job.Ref, by string, t job.Transition) (*job.Job, error) {
	return s.endWait(ctx, ref, by, job.ColumnMapping, job.PhaseColumns, t, func(ctx context.Context, tx pgx.Tx, j *job.Job) error {
		return s.confirmColumns(ctx, tx, j, t.CellsSkipped)
	})
}

// confirmColumns confirms matched columns and ignores unmatched ones.
func (s *Service) confirmColumns(ctx context.Context, tx pgx.Tx, j *job.Job, unasked bool) error {
	decl, err := s.declaration(ctx, tx, j)
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
	if err := s.store.AddWarnings(ctx, tx, j.Key, append(columnmatch.UnusedWarnings(columnmatch.UnusedColumns(columns)), columnmatch.UnitWarnings(decl, columns)...)); err != nil {
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
