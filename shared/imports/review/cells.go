package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// CellStore stores the matches of values and the decisions about them.
type CellStore interface {
	CellMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedCell, error)
	CellMappingsPage(ctx context.Context, tx pgx.Tx, key job.Key, p job.CellPage) ([]job.MappedCell, int64, error)
	CellsForDecision(ctx context.Context, tx pgx.Tx, key job.Key, ids []int64, fields []string) ([]job.MappedCell, error)
	FieldsWithMappedCells(ctx context.Context, tx pgx.Tx, key job.Key, fields []string) ([]string, error)
	UnresolvedCells(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.UnresolvedCells, error)
	SaveCellDecisions(ctx context.Context, tx pgx.Tx, key job.Key, mappings []job.MappedCell) error
}

// Cells returns a page of the value mappings of a job's file, and their total number.
func (s *Service) Cells(ctx context.Context, ref job.Ref, p job.CellPage) (cells []job.MappedCell, total int64, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := s.store.Job(ctx, tx, ref.JobID)
		if err != nil {
			return err
		}
		cells, total, err = s.store.CellMappingsPage(ctx, tx, j.Key, p)
		return err
	})
	return cells, total, err
}

// DecideCells saves decisions about values; by is the person who decided, or "" if unknown. On MAPPING_INVALID none is saved; on
// MAPPING_INCOMPLETE all are saved, and the error contains the number of unresolved values.
// It loads only the values that the decisions are about, as a file may have hundreds of
// thousands.
func (s *Service) DecideCells(ctx context.Context, ref job.Ref, by string, decisions []CellDecision) error {
	var left []job.UnresolvedCells
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := s.lockJob(ctx, tx, ref.JobID, job.CellMapping)
		if err == nil {
			err = cellsNotReady(j)
		}
		if err != nil {
			return err
		}
		a, err := s.loadCells(ctx, tx, j, decisions)
		if err != nil {
			return err
		}
		if err := a.applyAll(ctx, decisions); err != nil {
			return err
		}
		if err := s.store.SaveCellDecisions(ctx, tx, j.Key, a.changes()); err != nil {
			return err
		}
		if left, err = s.store.UnresolvedCells(ctx, tx, j.Key); err != nil {
			return err
		}
		return s.store.AddContributor(ctx, tx, j.Key, by)
	})
	if err != nil {
		return err
	}
	return unresolvedCellsError(left)
}

// loadCells loads the values that the decisions are about.
func (s *Service) loadCells(ctx context.Context, tx pgx.Tx, j *job.Job, decisions []CellDecision) (*cellDecider, error) {
	decl, err := s.declaration(ctx, tx, j)
	if err != nil {
		return nil, err
	}
	settings, err := decl.ParseSettings(j.Options)
	if err != nil {
		return nil, err
	}
	ids, fields := decisionTargets(decisions)
	cells, err := s.store.CellsForDecision(ctx, tx, j.Key, ids, fields)
	if err != nil {
		return nil, err
	}
	known, err := s.store.FieldsWithMappedCells(ctx, tx, j.Key, fields)
	if err != nil {
		return nil, err
	}
	a := &cellDecider{decl: decl, settings: settings, cells: cells, fields: known, changed: make(map[int]bool), targets: newTargetLookup(tx, j)}
	if slices.ContainsFunc(decisions, func(c CellDecision) bool { return c.TargetEntityID != nil }) {
		a.people, err = s.personCandidates(ctx, tx, j, slices.DeleteFunc(slices.Clone(cells), func(c job.MappedCell) bool { return c.TargetField != job.PersonField }))
	}
	return a, err
}

// cellsNotReady returns the reason why values cannot be decided yet: they are still being
// looked up, and others may still turn out to need a decision.
func cellsNotReady(j *job.Job) error {
	if j.WaitingFor() != job.WaitCells {
		return problem.New(problem.StillRunning, "The values of the file are still being matched. Try again in a moment.")
	}
	return nil
}

// unresolvedCellsError reports how many values are unresolved.
func unresolvedCellsError(left []job.UnresolvedCells) error {
	if len(left) == 0 {
		return nil
	}
	fault := problem.New(problem.MappingIncomplete, "Your answers were saved. Some values are not matched yet.")
	for _, of := range left {
		fault.With(of.Field, problem.CellUnresolved, fmt.Sprintf("Open values: %d.", of.Count))
	}
	return fault
}

// ConfirmCells lets the import process its rows if no value is unresolved.
func (s *Service) ConfirmCells(ctx context.Context, ref job.Ref, by string) (*job.Job, error) {
	return s.finishCells(ctx, ref, by, job.Transition{To: job.Processing, ExpectedFrom: job.CellMapping}, func(j *job.Job, left []job.UnresolvedCells) error {
		if err := cellsNotReady(j); err != nil {
			return err
		}
		return unresolvedCellsError(left)
	})
}

func (s *Service) finishCells(ctx context.Context, ref job.Ref, by string, t job.Transition, check func(*job.Job, []job.UnresolvedCells) error) (*job.Job, error) {
	return s.endWait(ctx, ref, by, job.CellMapping, job.PhaseCells, t, func(ctx context.Context, tx pgx.Tx, j *job.Job) error {
		left, err := s.store.UnresolvedCells(ctx, tx, j.Key)
		if err != nil {
			return err
		}
		return check(j, left)
	})
}
