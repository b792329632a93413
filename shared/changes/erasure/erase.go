// Package erasure removes a person from an organisation: the entities, and every value of
// theirs that imports have left in change sets, plans, row records, mappings and profiles.
// Files cannot be searched: files of imports and exports that have ended are deleted by the
// next purge.
//
// An organisation may have more change sets than one request can read, so an erasure runs in
// steps of one transaction each and saves its progress between them. The entities are deleted
// in the last step: until then the person is found by the same key, and a repeated request
// continues the erasure. A queue resumes abandoned erasures.
//
// Tested here, step by step; by shared/httpapi: the route, and a search of all tables; and by
// infra/tests/e2e: an abandoned erasure.
package erasure

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// partsPerStep is the number of parts of change sets in a step, of at most changeset.MaxChanges each.
const partsPerStep = 20

// StepLimit is the size of a step that searches the other data of imports.
type StepLimit struct {
	Jobs int
	// Rows in error: the step ends with the import that exceeds them, and a statement searches no
	// more. 100,000 take about 6 seconds.
	Rows int
}

func stepLimit() StepLimit { return StepLimit{Jobs: 20, Rows: 100_000} }

// Store finds and removes the data of persons.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	PersonsByKey(ctx context.Context, tx pgx.Tx, of *Tables, key string) ([]int64, error)
	AddPersonTraces(ctx context.Context, tx pgx.Tx, of *Tables, id int64, t *Traces) error
	BeginErasure(ctx context.Context, tx pgx.Tx, person int64) (*Erasure, error)
	ResumeErasure(ctx context.Context, tx pgx.Tx, person int64) (*Erasure, error)
	SaveErasure(ctx context.Context, tx pgx.Tx, e *Erasure) error
	EndErasure(ctx context.Context, tx pgx.Tx, of *Tables, person int64, t *Traces) error
	EachPersonChanges(ctx context.Context, tx pgx.Tx, of *Tables, after Position, limit int, f func(changeset.PartRef, []changeset.Change) error) (int, error)
	EachRecentPersonChanges(ctx context.Context, tx pgx.Tx, of *Tables, began time.Time, f func(changeset.PartRef, []changeset.Change) error) error
	RewriteChanges(ctx context.Context, tx pgx.Tx, place changeset.PartRef, left []changeset.Change) error
	EraseJobValues(ctx context.Context, tx pgx.Tx, t *Traces, after job.Key, limit StepLimit) (job.Key, error)
	EraseOrganisationValues(ctx context.Context, tx pgx.Tx, of *Tables, t *Traces) error
	MarkFilesForPurge(ctx context.Context, tx pgx.Tx) (open int64, err error)
	OpenImports(ctx context.Context, tx pgx.Tx) (open int64, err error)
}

// Report describes the result of an erasure.
type Report struct {
	Complete    bool  // false: the erasure is unfinished and must be requested again
	Changes     int64 // removed from change sets so far
	OpenImports int64 // imports that have not ended: their data is not erased, and the erasure must be repeated
	unknown     bool  // nothing has the key
}

// Service erases persons.
type Service struct {
	store      Store
	tables     *Tables
	dependents []entity.DependentType // with computed values
	declared   DeclaredTypes          // nil without declared types
	log        *slog.Logger
}

// New returns the service. The import types declare where data of persons is stored: see TablesOf.
func New(store Store, types []entity.Type, log *slog.Logger) (*Service, error) {
	tables, err := TablesOf(types)
	if err != nil {
		return nil, fmt.Errorf("erasure: %w", err)
	}
	s := &Service{store: store, tables: tables, log: log}
	for _, t := range types {
		if dependent, ok := t.(entity.DependentType); ok {
			s.dependents = append(s.dependents, dependent)
		}
	}
	return s, nil
}

// ErasePerson erases the person of an organisation that has the id, e-mail address or identity
// number key. It stops after about the duration within. by is the subject of the caller's token.
// It returns NOT_FOUND if there is no such person and STATE_CONFLICT if there are several.
func (s *Service) ErasePerson(ctx context.Context, by string, organisation tenant.ID, key string, within time.Duration) (r Report, err error) {
	person, err := s.findPerson(ctx, organisation, key)
	if err != nil {
		return r, err
	}
	for began := time.Now(); ; {
		err := s.store.InOrganisation(ctx, organisation, func(tx pgx.Tx) (err error) {
			r, err = s.runStep(ctx, tx, organisation, person, key, s.store.BeginErasure)
			return err
		})
		if err != nil {
			return r, err
		}
		if r.unknown {
			return Report{}, noPerson()
		}
		if r.Complete || time.Since(began) >= within {
			break
		}
	}
	s.log.InfoContext(ctx, "operator", "action", "person erased", "by", by, "of_organisation", organisation, "id", person, "changes", r.Changes, "complete", r.Complete)
	return r, nil
}

// stepReserve is the remaining time of an invocation that another step requires.
const stepReserve = 30 * time.Second

// Resume continues an erasure until it is complete or there is no time for another step; then
// the message is retried. An erasure that is already complete is not an error.
func (s *Service) Resume(ctx context.Context, ref job.ErasureRef) error {
	for {
		var r Report
		err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
			r, err = s.runStep(ctx, tx, ref.OrganisationID, ref.PersonID, "", s.store.ResumeErasure)
			return err
		})
		switch {
		case problem.CodeOf(err) == problem.NotFound:
			return nil
		case err != nil:
			return fmt.Errorf("erase person %d of organisation %d: %w", ref.PersonID, ref.OrganisationID, err)
		case r.Complete:
			s.log.InfoContext(ctx, "person erased", "of_organisation", ref.OrganisationID, "id", ref.PersonID, "changes", r.Changes)
			return nil
		}
		if deadline, limited := ctx.Deadline(); limited && time.Until(deadline) < stepReserve {
			return nil
		}
	}
}

func (s *Service) findPerson(ctx context.Context, organisation tenant.ID, key string) (person int64, err error) {
	var ids []int64
	err = s.store.InOrganisation(ctx, organisation, func(tx pgx.Tx) (err error) {
		if ids, err = s.store.PersonsByKey(ctx, tx, s.tables, key); err != nil || len(ids) > 0 {
			return err
		}
		tables, err := s.tablesOf(ctx, tx, organisation)
		if err == nil && len(tables.Declared) > 0 && Normalise(key) != "" {
			ids = []int64{keyHolder(key)}
		}
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case len(ids) == 0:
		return 0, noPerson()
	case len(ids) > 1:
		return 0, problem.New(problem.StateConflict, "More than one person has this key. Erase each by ID.")
	}
	return ids[0], nil
}

func noPerson() error { return problem.New(problem.NotFound, "No person with this key exists.") }

// erasureLoader returns a person's erasure, or pgx.ErrNoRows.
type erasureLoader = func(ctx context.Context, tx pgx.Tx, person int64) (*Erasure, error)

// runStep runs the next step of an erasure. key is that of the request, or "".
func (s *Service) runStep(ctx context.Context, tx pgx.Tx, organisation tenant.ID, person int64, key string, find erasureLoader) (r Report, err error) {
	e, err := find(ctx, tx, person)
	if errors.Is(err, pgx.ErrNoRows) {
		return r, problem.Wrap(err, problem.NotFound, "This person was already erased.")
	}
	if err != nil {
		return r, err
	}
	if e.tables, err = s.tablesOf(ctx, tx, organisation); err != nil {
		return r, err
	}
	if key != "" && key != strconv.FormatInt(person, 10) && len(e.tables.Declared) > 0 {
		e.Traces.AddKey(key)
		e.Traces.AddValue(key)
	}
	ended := false
	switch {
	case !e.Position.Values:
		err = s.eraseChanges(ctx, tx, e)
	default:
		ended, err = s.eraseValues(ctx, tx, e)
	}
	if err != nil {
		return r, err
	}
	r = Report{Complete: ended, Changes: e.Changes, unknown: ended && person < 0 && e.Traces.CountEntities() == len(e.Traces.Keys())}
	if r.unknown {
		return r, nil // a mistyped key deletes no files
	}
	if ended {
		r.OpenImports, err = s.store.MarkFilesForPurge(ctx, tx)
		return r, err
	}
	if err = s.store.SaveErasure(ctx, tx, e); err == nil {
		r.OpenImports, err = s.store.OpenImports(ctx, tx)
	}
	return r, err
}

// eraseValues removes the data outside of change sets, import by import, and then the person.
func (s *Service) eraseValues(ctx context.Context, tx pgx.Tx, e *Erasure) (ended bool, err error) {
	last, err := s.store.EraseJobValues(ctx, tx, e.Traces, e.Position.Job, stepLimit())
	if err != nil || last != 0 {
		e.Position.Job = last
		return false, err
	}
	return s.finish(ctx, tx, e)
}

// finish deletes the person. If an import has meanwhile written something that reveals more of
// the person's data, the search starts again instead.
func (s *Service) finish(ctx context.Context, tx pgx.Tx, e *Erasure) (bool, error) {
	known := e.Traces.Size()
	if err := s.store.AddPersonTraces(ctx, tx, e.tables, e.Person, e.Traces); err != nil {
		return false, err
	}
	found, err := s.collect(e, func(f func(changeset.PartRef, []changeset.Change) error) error {
		return s.store.EachRecentPersonChanges(ctx, tx, e.tables, e.Began, f)
	})
	if err == nil {
		err = s.removeChanges(ctx, tx, e, found)
	}
	if err != nil {
		return false, err
	}
	if e.Traces.Size() > known {
		e.Position = Position{}
		return false, nil
	}
	recompute, err := s.lockDependents(ctx, tx, e.Traces)
	if err != nil {
		return false, err
	}
	if err := s.store.EndErasure(ctx, tx, e.tables, e.Person, e.Traces); err != nil {
		return false, err
	}
	if err := recompute(); err != nil {
		return false, err
	}
	return true, s.store.EraseOrganisationValues(ctx, tx, e.tables, e.Traces)
}
