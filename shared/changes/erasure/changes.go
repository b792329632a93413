package erasure

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
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
func (s *Service) eraseChanges(ctx context.Context, tx pgx.Tx, e *Erasure) error {
	if e.Position == (Position{}) {
		if err := s.store.AddPersonTraces(ctx, tx, e.tables, e.Person, e.Traces); err != nil {
			return err
		}
		e.Position.Known = e.Traces.CountEntities()
	}
	heard, last := 0, e.Position
	parts, err := s.collect(e, func(f func(changeset.PartRef, []changeset.Change) error) (err error) {
		heard, err = s.store.EachPersonChanges(ctx, tx, e.tables, e.Position, partsPerStep, func(place changeset.PartRef, changes []changeset.Change) error {
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
func nextPlace(e *Erasure) Position {
	switch {
	case !e.Position.Planned:
		return Position{Known: e.Position.Known, Planned: true}
	case e.Traces.CountEntities() > e.Position.Known:
		return Position{}
	}
	return Position{Values: true}
}

// collect returns the parts that contain data of the person, among those that each yields,
// and adds the information in them to the traces.
func (s *Service) collect(e *Erasure, each func(f func(changeset.PartRef, []changeset.Change) error) error) (parts []personPart, err error) {
	return parts, each(func(place changeset.PartRef, changes []changeset.Change) error {
		of := false
		for i := range changes {
			of = e.addTraces(place, &changes[i]) || of
		}
		if of {
			parts = append(parts, personPart{place, changes})
		}
		return nil
	})
}

// removeChanges removes the changes of the person from the parts.
func (s *Service) removeChanges(ctx context.Context, tx pgx.Tx, e *Erasure, parts []personPart) error {
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
func (e *Erasure) addTraces(place changeset.PartRef, c *changeset.Change) bool {
	traces, table := e.Traces, e.tables.table(c.Table)
	if declared := e.tables.declaredTable(c.Table); declared != nil {
		eachValue(c, func(column, value string) {
			if slices.Contains(declared.Keys, column) && traces.HasKey(value) {
				traces.Add(c.Table, c.ID)
			}
		})
		table = &declared.Table
	}
	eachValue(c, func(column, value string) {
		if table != nil && table.Owner.Table != "" && column == table.Owner.Column && traces.Has(table.Owner.Table, value) ||
			isIdentity(c, column) && traces.HasIdentity(value) ||
			e.tables.isListText(c.Table, column) && traces.Identifies(value) {
			traces.Add(c.Table, c.ID)
		}
	})
	if !isOfPerson(traces, c) {
		return false
	}
	traces.AddRow(place.Key, c.Row)
	eachValue(c, func(column, value string) {
		if isIdentity(c, column) {
			traces.AddIdentity(value)
		}
		if table != nil {
			for _, v := range table.personalValues(column, value) {
				traces.AddValue(v)
			}
		}
	})
	return true
}

// isIdentity reports whether a column of a change identifies a person.
func isIdentity(c *changeset.Change, column string) bool {
	return c.Table == entity.PersonTable && column == entity.PersonKeyColumn
}

// isOfPerson reports whether a change is of the person, or is an undo note about them.
func isOfPerson(traces *Traces, c *changeset.Change) bool {
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
