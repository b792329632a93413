package erasure

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/postgres"
)

// personPart is a part of a change set that contains data of the person.
type personPart struct {
	place   changeset.PartRef
	changes []changeset.Change
}

// eraseChanges removes changes of the person from the next parts of change sets and adds the
// information in them to the traces: deleted entities, older values, rows. New information
// about the owner of an entity can affect earlier parts, so all parts are read again until
// no new entity is found.
func (s *Service) eraseChanges(ctx context.Context, tx pgx.Tx, e *postgres.Erasure) error {
	if e.Position == (postgres.ErasurePosition{}) {
		if err := s.store.AddPersonTraces(ctx, tx, e.Person, e.Traces); err != nil {
			return err
		}
		e.Position.Known = e.Traces.Entities()
	}
	heard, last := 0, e.Position
	parts, err := s.collect(e, func(f func(changeset.PartRef, []changeset.Change) error) (err error) {
		heard, err = s.store.EachPersonChanges(ctx, tx, e.Position, partsPerStep, func(place changeset.PartRef, changes []changeset.Change) error {
			last.Job, last.At = place.Key, place.At
			return f(place, changes)
		})
		return err
	})
	if err != nil {
		return err
	}
	if e.Position = last; heard < partsPerStep {
		e.Position = nextPlace(e)
	}
	return s.removeChanges(ctx, tx, e, parts)
}

// nextPlace returns the position after the last part of all change sets and plans.
func nextPlace(e *postgres.Erasure) postgres.ErasurePosition {
	switch {
	case !e.Position.Planned:
		return postgres.ErasurePosition{Known: e.Position.Known, Planned: true}
	case e.Traces.Entities() > e.Position.Known:
		return postgres.ErasurePosition{}
	}
	return postgres.ErasurePosition{Values: true}
}

// collect returns the parts that contain data of the person, among those that each yields,
// and adds the information in them to the traces.
func (s *Service) collect(e *postgres.Erasure, each func(f func(changeset.PartRef, []changeset.Change) error) error) (parts []personPart, err error) {
	return parts, each(func(place changeset.PartRef, changes []changeset.Change) error {
		of := false
		for i := range changes {
			of = addTraces(e.Traces, place, &changes[i]) || of
		}
		if of {
			parts = append(parts, personPart{place, changes})
		}
		return nil
	})
}

// removeChanges removes the changes of the person from the parts.
func (s *Service) removeChanges(ctx context.Context, tx pgx.Tx, e *postgres.Erasure, parts []personPart) error {
	for _, p := range parts {
		left := slices.DeleteFunc(p.changes, func(c changeset.Change) bool { return isOfPerson(e.Traces, &c) })
		e.Changes += int64(p.place.Changes - len(left))
		if err := s.store.RewriteChanges(ctx, tx, p.place, left); err != nil {
			return err
		}
	}
	return nil
}

// addTraces adds the information in a change to the traces; false if the change is of another
// person.
func addTraces(traces *postgres.Traces, place changeset.PartRef, c *changeset.Change) bool {
	owner, ofTable := postgres.PersonTable(c.Table)
	eachValue(c, func(column, value string) {
		if column == owner && traces.Has(ofTable, value) ||
			c.Table == "persons" && column == "identity_key" && traces.HasIdentity(value) ||
			c.Table == "custom_list_values" && column == "value" && traces.HasValue(value) {
			traces.Add(c.Table, c.ID)
		}
	})
	if !isOfPerson(traces, c) {
		return false
	}
	traces.AddRow(place.Key, c.Row)
	eachValue(c, func(column, value string) {
		if c.Table == "persons" && column == "identity_key" {
			traces.AddIdentity(value)
		}
		if postgres.IsPersonalColumn(c.Table, column) {
			traces.AddValue(value)
		}
	})
	return true
}

// isOfPerson reports whether a change is of the person, or is an undo note about them.
func isOfPerson(traces *postgres.Traces, c *changeset.Change) bool {
	if !c.IsInternal() {
		return traces.Has(c.Table, c.ID)
	}
	var table, id string
	eachValue(c, func(column, value string) {
		switch column {
		case "entity_table":
			table = value
		case "entity_id":
			id = value
		}
	})
	return traces.Has(table, id)
}

// eachValue calls f for every value of a change, before and after.
func eachValue(c *changeset.Change, f func(column, value string)) {
	for _, values := range [][]*string{c.Before, c.After} {
		for i, v := range values {
			if v != nil {
				f(c.Columns[i], *v)
			}
		}
	}
}
