package answers

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/memory"
	"github.com/loadbay/loadbay/shared/problem"
)

// Cell says one thing about a value of the file: that what it was taken for is
// right, which entity it stands for, or that its rows are to be left out. With
// TargetField instead of ID it is about all values of that field that stand for
// nothing yet.
type Cell struct {
	ID             int64
	TargetField    string
	Confirm        bool
	TargetEntityID *int64
	Ignore         bool
}

// Cells returns what is known of the values of a job's file.
func (s *Service) Cells(ctx context.Context, ref job.Ref) (j *job.Job, cells []job.MappedCell, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		if j, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		cells, err = s.store.CellMappings(ctx, tx, j.ID)
		return err
	})
	return j, cells, err
}

// Candidates returns the entities that values of a field can stand for.
func (s *Service) Candidates(ctx context.Context, ref job.Ref, field string) (found []entity.Candidate, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := s.store.Job(ctx, tx, ref.JobID)
		if err != nil {
			return err
		}
		found, err = s.candidates(ctx, tx, j, field)
		return err
	})
	return found, err
}

func (s *Service) candidates(ctx context.Context, tx pgx.Tx, j *job.Job, field string) ([]entity.Candidate, error) {
	of, err := s.declaration(j)
	if err != nil {
		return nil, err
	}
	at := of.FieldIndex(field)
	if at < 0 || of.Fields[at].Lookup == nil {
		return nil, problem.New(problem.ParameterInvalid, "%s have no field of that name whose values stand for something.", of.Title).
			With("targetField", problem.ParameterInvalid, "A field of the kind reference.")
	}
	var contextID int64
	if j.ContextID != nil {
		contextID = *j.ContextID
	}
	return of.Fields[at].Lookup.List(ctx, tx, contextID)
}

// AnswerCells keeps what is said about values. MAPPING_INVALID keeps nothing;
// MAPPING_INCOMPLETE keeps it all and says how many values stand for nothing still.
func (s *Service) AnswerCells(ctx context.Context, ref job.Ref, said []Cell) (cells []job.MappedCell, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := s.lock(ctx, tx, ref.JobID, job.CellMapping)
		if err != nil {
			return err
		}
		if cells, err = s.store.CellMappings(ctx, tx, j.ID); err != nil {
			return err
		}
		a := cellAnswers{cells: cells, changed: make(map[int]bool), exists: s.among(ctx, tx, j)}
		if err := a.applyAll(said); err != nil {
			return err
		}
		return s.store.AnswerCells(ctx, tx, j.ID, a.changes())
	})
	if err != nil {
		return nil, err
	}
	return cells, open(cells)
}

// among returns a function that tells whether a field has a candidate of that
// id. It asks for the candidates of each field once.
func (s *Service) among(ctx context.Context, tx pgx.Tx, j *job.Job) func(field string, id int64) (bool, error) {
	known := make(map[string]map[int64]bool)
	return func(field string, id int64) (bool, error) {
		if known[field] == nil {
			found, err := s.candidates(ctx, tx, j, field)
			if err != nil {
				return false, err
			}
			known[field] = make(map[int64]bool, len(found))
			for _, c := range found {
				known[field][c.ID] = true
			}
		}
		return known[field][id], nil
	}
}

// cellAnswers applies what is said to mappings of values.
type cellAnswers struct {
	cells   []job.MappedCell
	changed map[int]bool
	exists  func(field string, id int64) (bool, error)
}

func (a *cellAnswers) changes() []job.MappedCell {
	changed := make([]job.MappedCell, 0, len(a.changed))
	for i := range a.cells {
		if a.changed[i] {
			changed = append(changed, a.cells[i])
		}
	}
	return changed
}

// applyAll applies the answers about single values first: those about a whole
// field are for what is left.
func (a *cellAnswers) applyAll(said []Cell) error {
	for _, c := range said {
		if c.TargetField == "" {
			if err := a.applyOne(c); err != nil {
				return err
			}
		}
	}
	for _, c := range said {
		if c.TargetField != "" {
			if err := a.applyRest(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *cellAnswers) applyOne(said Cell) error {
	for i := range a.cells {
		if a.cells[i].ID != said.ID {
			continue
		}
		if a.changed[i] {
			return invalid("The value %d is there twice.", said.ID)
		}
		return a.apply(i, said)
	}
	return invalid("The id %d is not that of a value of this import.", said.ID)
}

func (a *cellAnswers) applyRest(said Cell) error {
	if said.ID != 0 || said.Confirm {
		return invalid("With targetField, give targetEntityId or ignore, and no id.")
	}
	known := false
	for i, c := range a.cells {
		if c.TargetField != said.TargetField {
			continue
		}
		known = true
		if c.Status == job.Unresolved && !a.changed[i] {
			if err := a.apply(i, said); err != nil {
				return err
			}
		}
	}
	if !known {
		return invalid("This import asks for no values of such a field.").
			With(entity.Shorten(said.TargetField), problem.MappingInvalid, "A field that the cell mappings name.")
	}
	return nil
}

// apply changes mapping i as is said.
func (a *cellAnswers) apply(i int, said Cell) error {
	m := &a.cells[i]
	given := 0
	for _, is := range []bool{said.Confirm, said.TargetEntityID != nil, said.Ignore} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return invalid("Say one thing about the value %d: confirm, targetEntityId or ignore.", m.ID)
	case said.Confirm && m.EntityID == "":
		return invalid("The value %d was taken for nothing that could be confirmed.", m.ID)
	case said.Ignore:
		m.EntityID, m.Status = "", job.Ignored
	case said.TargetEntityID != nil:
		exists, err := a.exists(m.TargetField, *said.TargetEntityID)
		if err != nil {
			return err
		}
		if !exists {
			return invalid("There is nothing with the id %d that the value %d could stand for.", *said.TargetEntityID, m.ID).
				With(m.TargetField, problem.MappingInvalid, "One of its candidates.")
		}
		m.EntityID, m.Status = strconv.FormatInt(*said.TargetEntityID, 10), job.ManualMatched
	default:
		m.Status = job.ManualMatched
	}
	m.Confirmed = true
	a.changed[i] = true
	return nil
}

// open says how many values stand for nothing yet.
func open(cells []job.MappedCell) error {
	var fields []string
	count := make(map[string]int)
	for _, c := range cells {
		if c.Status != job.Unresolved {
			continue
		}
		if count[c.TargetField] == 0 {
			fields = append(fields, c.TargetField)
		}
		count[c.TargetField]++
	}
	if len(fields) == 0 {
		return nil
	}
	fault := problem.New(problem.NotAcceptable, "Some values stand for nothing yet.")
	for _, field := range fields {
		fault.With(field, problem.CellUnresolved, fmt.Sprintf("Open values: %d.", count[field]))
	}
	return fault
}

// ConfirmCells lets the import process its rows, if no value is open. An import
// that waits for answers has values to answer; one that has none yet is still
// looking them up.
func (s *Service) ConfirmCells(ctx context.Context, ref job.Ref) (*job.Job, error) {
	return s.leaveCells(ctx, ref, job.Transition{To: job.Processing, ExpectedFrom: job.CellMapping}, func(cells []job.MappedCell) error {
		if len(cells) == 0 {
			return problem.New(problem.StillRunning, "The values of the file are still being looked up. Try again in a moment.")
		}
		return open(cells)
	})
}

func (s *Service) leaveCells(ctx context.Context, ref job.Ref, t job.Transition, check func([]job.MappedCell) error) (*job.Job, error) {
	return s.leave(ctx, ref, job.CellMapping, job.PhaseCells, t, func(ctx context.Context, tx pgx.Tx, j *job.Job) error {
		cells, err := s.store.CellMappings(ctx, tx, j.ID)
		if err != nil {
			return err
		}
		if err := check(cells); err != nil {
			return err
		}
		return s.store.RememberCells(ctx, tx, j, memory.OfCells(cells))
	})
}
