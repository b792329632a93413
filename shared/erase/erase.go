// Package erase removes a person from an organisation: the entities, and every value of
// theirs that imports have left in change sets, in what is known of rows, and in mappings
// and profiles. Files cannot be searched: those of imports and exports that have ended go
// with the next purge.
//
// All of it is one transaction, so that the person can be found again if it breaks off.
//
// Tested by shared/httpapi: the route, and a search of all tables.
package erase

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changeset"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/tenant"
)

// Store finds and removes what is known of persons.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	PersonsByKey(ctx context.Context, tx pgx.Tx, key string) ([]int64, error)
	PersonTraces(ctx context.Context, tx pgx.Tx, id int64) (*postgres.Traces, error)
	EachChangesOf(ctx context.Context, tx pgx.Tx, tables []string, f func(postgres.ChangesPlace, []changeset.Change) error) error
	RewriteChanges(ctx context.Context, tx pgx.Tx, place postgres.ChangesPlace, left []changeset.Change) error
	ErasePerson(ctx context.Context, tx pgx.Tx, id int64) error
	EraseValues(ctx context.Context, tx pgx.Tx, traces *postgres.Traces) error
	PurgeFilesSoon(ctx context.Context, tx pgx.Tx) (open int64, err error)
}

// Report says what was erased.
type Report struct {
	Changes     int   // of change sets
	OpenImports int64 // that have not ended: what they bring is not erased, and the person is to be erased again
}

// Service erases persons.
type Service struct {
	store Store
	log   *slog.Logger
}

// New returns the service.
func New(store Store, log *slog.Logger) *Service { return &Service{store, log} }

// Person erases the person that an organisation has under an id, an e-mail address or an
// identity number. by is the subject of the caller's token. NOT_FOUND where there is
// none, STATE_CONFLICT where there are several.
func (s *Service) Person(ctx context.Context, by string, organisation tenant.ID, key string) (r Report, err error) {
	var id int64
	err = s.store.InOrganisation(ctx, organisation, func(tx pgx.Tx) (err error) {
		r = Report{}
		ids, err := s.store.PersonsByKey(ctx, tx, key)
		switch {
		case err != nil:
			return err
		case len(ids) == 0:
			return problem.New(problem.NotFound, "There is no person with this key.")
		case len(ids) > 1:
			return problem.New(problem.StateConflict, "There are several persons with this key. Erase each by its id.")
		}
		id = ids[0]
		return s.erase(ctx, tx, id, &r)
	})
	if err != nil {
		return r, err
	}
	s.log.InfoContext(ctx, "operator", "action", "person erased", "by", by, "of_organisation", organisation, "id", id, "changes", r.Changes)
	return r, nil
}

func (s *Service) erase(ctx context.Context, tx pgx.Tx, id int64, r *Report) error {
	traces, err := s.store.PersonTraces(ctx, tx, id)
	if err != nil {
		return err
	}
	places, err := s.follow(ctx, tx, traces)
	if err != nil {
		return err
	}
	for place, changes := range places {
		left := slices.DeleteFunc(changes, func(c changeset.Change) bool { return traces.Has(c.Table, c.ID) })
		r.Changes += place.Changes - len(left)
		if err := s.store.RewriteChanges(ctx, tx, place, left); err != nil {
			return err
		}
	}
	if err := s.store.ErasePerson(ctx, tx, id); err != nil {
		return err
	}
	if err := s.store.EraseValues(ctx, tx, traces); err != nil {
		return err
	}
	r.OpenImports, err = s.store.PurgeFilesSoon(ctx, tx)
	return err
}

// follow returns the parts of change sets that hold something of the person, and adds to
// the traces what they say: entities that are not there any more, older values, rows.
// What one part says of who an entity belongs to makes others look different: it is read
// until nothing new is found.
func (s *Service) follow(ctx context.Context, tx pgx.Tx, traces *postgres.Traces) (map[postgres.ChangesPlace][]changeset.Change, error) {
	for {
		known, places := traces.Size(), make(map[postgres.ChangesPlace][]changeset.Change)
		err := s.store.EachChangesOf(ctx, tx, postgres.PersonTables(), func(place postgres.ChangesPlace, changes []changeset.Change) error {
			found := false
			for i := range changes {
				if trace(traces, place, &changes[i]) {
					found = true
				}
			}
			if found {
				places[place] = changes
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("follow a person: %w", err)
		}
		if traces.Size() == known {
			return places, nil
		}
	}
}

// trace adds what a change says to the traces; false where it is of somebody else.
func trace(traces *postgres.Traces, place postgres.ChangesPlace, c *changeset.Change) bool {
	owner, ofTable := postgres.PersonTable(c.Table)
	for _, values := range [][]*string{c.Before, c.After} {
		for i, v := range values {
			if v != nil && c.Columns[i] == owner && traces.Has(ofTable, *v) {
				traces.Add(c.Table, c.ID)
			}
		}
	}
	if !traces.Has(c.Table, c.ID) {
		return false
	}
	traces.AddRow(place.Job, c.Row)
	for _, values := range [][]*string{c.Before, c.After} {
		for i, v := range values {
			if v != nil && postgres.IsPersonal(c.Table, c.Columns[i]) {
				traces.AddValue(strings.TrimSpace(*v))
			}
		}
	}
	return true
}
