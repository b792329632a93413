package erasure

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/postgres"
)

// found is a part of a change set that holds something of the person.
type found struct {
	place   postgres.ChangesPlace
	changes []changeset.Change
}

// changes removes changes of the person from the next parts of change sets, and adds to the
// traces what they say: entities that are not there any more, older values, rows. What a
// part says of who an entity belongs to makes earlier ones look different: they are all
// read again until no entity is new.
func (s *Service) changes(ctx context.Context, tx pgx.Tx, e *postgres.Erasure) error {
	if e.Place == (postgres.ErasurePlace{}) {
		if err := s.store.AddPersonTraces(ctx, tx, e.Person, e.Traces); err != nil {
			return err
		}
		e.Place.Known = e.Traces.Entities()
	}
	heard, last := 0, e.Place
	parts, err := s.collect(e, func(f func(postgres.ChangesPlace, []changeset.Change) error) (err error) {
		heard, err = s.store.EachPersonChanges(ctx, tx, e.Place, partsAtOnce, func(place postgres.ChangesPlace, changes []changeset.Change) error {
			last.Job, last.At = place.Key, place.At
			return f(place, changes)
		})
		return err
	})
	if err != nil {
		return err
	}
	if e.Place = last; heard < partsAtOnce {
		e.Place = next(e)
	}
	return s.rewrite(ctx, tx, e, parts)
}

// next is where to go on after the last part of all change sets, real or planned.
func next(e *postgres.Erasure) postgres.ErasurePlace {
	switch {
	case !e.Place.Planned:
		return postgres.ErasurePlace{Known: e.Place.Known, Planned: true}
	case e.Traces.Entities() > e.Place.Known:
		return postgres.ErasurePlace{}
	}
	return postgres.ErasurePlace{Values: true}
}

// collect returns the parts, of those that each hears, that hold something of the person,
// with what they say added to the traces.
func (s *Service) collect(e *postgres.Erasure, each func(f func(postgres.ChangesPlace, []changeset.Change) error) error) (parts []found, err error) {
	return parts, each(func(place postgres.ChangesPlace, changes []changeset.Change) error {
		of := false
		for i := range changes {
			of = trace(e.Traces, place, &changes[i]) || of
		}
		if of {
			parts = append(parts, found{place, changes})
		}
		return nil
	})
}

// rewrite removes changes of the person from parts.
func (s *Service) rewrite(ctx context.Context, tx pgx.Tx, e *postgres.Erasure, parts []found) error {
	for _, p := range parts {
		left := slices.DeleteFunc(p.changes, func(c changeset.Change) bool { return of(e.Traces, &c) })
		e.Changes += int64(p.place.Changes - len(left))
		if err := s.store.RewriteChanges(ctx, tx, p.place, left); err != nil {
			return err
		}
	}
	return nil
}

// trace adds what a change says to the traces; false where it is of somebody else.
func trace(traces *postgres.Traces, place postgres.ChangesPlace, c *changeset.Change) bool {
	owner, ofTable := postgres.PersonTable(c.Table)
	each(c, func(column, value string) {
		if column == owner && traces.Has(ofTable, value) ||
			c.Table == "persons" && column == "identity_key" && traces.HasIdentity(value) ||
			c.Table == "custom_list_values" && column == "value" && traces.HasValue(value) {
			traces.Add(c.Table, c.ID)
		}
	})
	if !of(traces, c) {
		return false
	}
	traces.AddRow(place.Key, c.Row)
	each(c, func(column, value string) {
		if c.Table == "persons" && column == "identity_key" {
			traces.AddIdentity(value)
		}
		if postgres.IsPersonal(c.Table, column) {
			traces.AddValue(value)
		}
	})
	return true
}

// of reports whether a change is of the person, or notes what an undo has kept of them.
func of(traces *postgres.Traces, c *changeset.Change) bool {
	if !c.Internal() {
		return traces.Has(c.Table, c.ID)
	}
	var table, id string
	each(c, func(column, value string) {
		switch column {
		case "entity_table":
			table = value
		case "entity_id":
			id = value
		}
	})
	return traces.Has(table, id)
}

// each hears the values of a change, before and after.
func each(c *changeset.Change, f func(column, value string)) {
	for _, values := range [][]*string{c.Before, c.After} {
		for i, v := range values {
			if v != nil {
				f(c.Columns[i], *v)
			}
		}
	}
}
