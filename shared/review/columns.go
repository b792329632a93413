package review

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/recall"
	"github.com/loadbay/loadbay/shared/problem"
)

// ColumnStore keeps what the columns of files are, and what was decided about them.
type ColumnStore interface {
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	DecideColumns(ctx context.Context, tx pgx.Tx, key job.Key, mappings []job.MappedColumn) error
	RememberColumns(ctx context.Context, tx pgx.Tx, j *job.Job, decisions []job.ColumnDecision) error
}

// Column says one thing about a column of the file: that what it was taken for
// is right, what it is, or that it is to be left out.
type Column struct {
	ID          int64  `json:"id"`
	Confirm     bool   `json:"confirm"`
	TargetField string `json:"targetField"`
	Ignore      bool   `json:"ignore"`
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

// DecideColumns stores decisions about columns. On MAPPING_INVALID none is stored; on
// MAPPING_INCOMPLETE all are, and the error says which required fields are missing.
func (s *Service) DecideColumns(ctx context.Context, ref job.Ref, said []Column) (j *job.Job, columns []job.MappedColumn, err error) {
	var decl *entity.Declaration
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		if j, err = s.lock(ctx, tx, ref.JobID, job.ColumnMapping); err != nil {
			return err
		}
		if decl, err = s.declaration(j); err != nil {
			return err
		}
		if columns, err = s.store.ColumnMappings(ctx, tx, j.Key); err != nil {
			return err
		}
		changed, err := applyColumns(decl, columns, said)
		if err != nil {
			return err
		}
		if err := s.store.DecideColumns(ctx, tx, j.Key, changed); err != nil {
			return err
		}
		return s.store.Touch(ctx, tx, j.Key)
	})
	if err != nil {
		return nil, nil, err
	}
	return j, columns, missing(decl, columns)
}

// applyColumns changes the mappings as decided and returns those that changed.
func applyColumns(decl *entity.Declaration, columns []job.MappedColumn, decisions []Column) ([]job.MappedColumn, error) {
	places := make(map[int64]int, len(columns))
	for i, c := range columns {
		places[c.ID] = i
	}
	changed := make([]job.MappedColumn, 0, len(decisions))
	seen := make(map[int64]bool, len(decisions))
	for _, a := range decisions {
		i, known := places[a.ID]
		if !known || seen[a.ID] {
			return nil, invalid("The id %d is not that of a column of this import, or is there twice.", a.ID)
		}
		seen[a.ID] = true
		if err := applyColumn(decl, &columns[i], a); err != nil {
			return nil, err
		}
		changed = append(changed, columns[i])
	}
	taken := make(map[string]bool, len(columns))
	for _, c := range columns {
		if c.TargetField != "" && taken[c.TargetField] {
			return nil, invalid("More than one column is %s; ignore all but one.", c.TargetField).
				With(c.TargetField, problem.MappingInvalid, "Each field is taken once.")
		}
		taken[c.TargetField] = true
	}
	return changed, nil
}

func applyColumn(decl *entity.Declaration, c *job.MappedColumn, a Column) error {
	given := 0
	for _, is := range []bool{a.Confirm, a.TargetField != "", a.Ignore} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return invalid("Say one thing about the column %d: confirm, targetField or ignore.", a.ID)
	case a.Confirm && c.TargetField == "":
		return invalid("The column %d was taken for nothing that could be confirmed.", a.ID)
	case a.Ignore:
		c.TargetField, c.Status, c.Confidence = "", job.Ignored, 0
	case a.TargetField != "":
		if decl.FieldIndex(a.TargetField) < 0 {
			return invalid("%s have no such field.", decl.Title).
				With(entity.Shorten(a.TargetField), problem.MappingInvalid, "One of the fields that GET /api/import-types lists.")
		}
		c.TargetField, c.Status, c.Confidence = a.TargetField, job.ManualMatched, 1
	default:
		c.Status = job.ManualMatched
	}
	c.Confirmed, c.Decided = true, true
	return nil
}

// missing says which required fields no column is.
func missing(decl *entity.Declaration, columns []job.MappedColumn) error {
	fault := problem.New(problem.NotAcceptable, "Some required fields are not in the file yet.")
	for _, f := range decl.Missing(job.MappedFields(columns)) {
		fault.With(f.Name, problem.RequiredColumn, "Say which column is: "+f.Title+".")
	}
	if len(fault.Fields) > 0 {
		return fault
	}
	return nil
}

// ConfirmColumns confirms the columns as they stand, leaves those out that are
// nothing, and lets the import go on to the values.
func (s *Service) ConfirmColumns(ctx context.Context, ref job.Ref) (*job.Job, error) {
	return s.leaveColumns(ctx, ref, job.Transition{To: job.CellMapping, ExpectedFrom: job.ColumnMapping, Passing: true})
}

func (s *Service) leaveColumns(ctx context.Context, ref job.Ref, t job.Transition) (*job.Job, error) {
	return s.endWait(ctx, ref, job.ColumnMapping, job.PhaseColumns, t, s.settleColumns)
}

// settleColumns confirms what is matched, ignores what is not, and remembers
// what a person decided for the organisation's next files.
func (s *Service) settleColumns(ctx context.Context, tx pgx.Tx, j *job.Job) error {
	decl, err := s.declaration(j)
	if err != nil {
		return err
	}
	columns, err := s.store.ColumnMappings(ctx, tx, j.Key)
	if err != nil {
		return err
	}
	if err := missing(decl, columns); err != nil {
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
	if err := s.store.DecideColumns(ctx, tx, j.Key, changed); err != nil {
		return err
	}
	return s.store.RememberColumns(ctx, tx, j, recall.OfColumns(j, columns))
}
