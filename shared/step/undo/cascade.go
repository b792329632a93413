package undo

import (
	"context"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

type entityKey struct{ table, id string }

// maxParts is how many parts of change sets an undo goes through: those of later imports
// too, in a cascade.
const maxParts = 20_000

// loadScope finds out which entities a cascade is about.
func (s *Step) loadScope(ctx context.Context, tx pgx.Tx, w *undoRun, own []postgres.ChangesPartInfo) error {
	w.scope = make(map[entityKey]bool)
	for _, part := range own {
		changes, err := s.store.ChangesAtPlace(ctx, tx, part.Place)
		if err != nil {
			return err
		}
		for i := range changes {
			w.scope[entityKey{changes[i].Table, changes[i].ID}] = true
		}
	}
	return nil
}

// laterParts returns the parts of later imports too, with as many changes as are of the
// entities that a cascade is about.
func (s *Step) laterParts(ctx context.Context, tx pgx.Tx, w *undoRun, own []postgres.ChangesPartInfo) ([]postgres.ChangesPartInfo, error) {
	all, err := s.store.ChangesSince(ctx, tx, own[len(own)-1].Place, maxParts+1)
	if err != nil {
		return nil, err
	}
	if len(all) > maxParts {
		return nil, problem.New(problem.StateConflict, "More has been imported since than a cascade can go through. Undo the later imports first.")
	}
	var parts []postgres.ChangesPartInfo
	for _, part := range all {
		if part.Job == w.job.Key {
			continue
		}
		changes, err := s.store.ChangesAtPlace(ctx, tx, part.Place)
		if err != nil {
			return nil, err
		}
		if part.Changes = shown(w.within(changes)); part.Changes > 0 {
			parts = append(parts, part)
		}
	}
	return parts, nil
}

// within returns those of the changes that the undo is about.
func (w *undoRun) within(changes []changeset.Change) []changeset.Change {
	if w.scope == nil {
		return changes
	}
	var mine []changeset.Change
	for i := range changes {
		if w.scope[entityKey{changes[i].Table, changes[i].ID}] {
			mine = append(mine, changes[i])
		}
	}
	return mine
}

// shown is how many of the changes are of entities, and not of notes about them.
func shown(changes []changeset.Change) (n int) {
	for i := range changes {
		if !changes[i].IsInternal() {
			n++
		}
	}
	return n
}

// withNotes are the changes of a part that the undo is about, and what its job has noted
// of the fields that these changes give other values: if the job is an undo, they do not
// hold any more. What it has noted of others holds, as that is not taken back.
func (s *Step) withNotes(ctx context.Context, tx pgx.Tx, w *undoRun, changes []changeset.Change) ([]changeset.Change, error) {
	if w.scope == nil {
		return changes, nil
	}
	given := make(map[fieldKey]bool)
	for i := range changes {
		if c := &changes[i]; c.Op == changeset.Updated && w.scope[entityKey{c.Table, c.ID}] {
			for _, column := range c.Columns {
				given[fieldKey{entityKey{c.Table, c.ID}, column}] = true
			}
		}
	}
	if len(given) == 0 {
		return w.within(changes), nil
	}
	about, err := s.notedFields(ctx, tx, changes)
	if err != nil {
		return nil, err
	}
	var mine []changeset.Change
	for i := range changes {
		c := &changes[i]
		if field, noted := about[c.ID]; w.scope[entityKey{c.Table, c.ID}] || c.IsInternal() && noted && given[field] {
			mine = append(mine, *c)
		}
	}
	return mine, nil
}

// fieldKey is a column of an entity.
type fieldKey struct {
	entity entityKey
	column string
}

// notedFields are the fields that notes are about, which a part has made, changed or removed, by
// the notes' ids. Of those that are no more there is nothing to be taken back.
func (s *Step) notedFields(ctx context.Context, tx pgx.Tx, changes []changeset.Change) (map[string]fieldKey, error) {
	about := make(map[string]fieldKey)
	var ids []string
	for i := range changes {
		switch c := &changes[i]; {
		case !c.IsInternal():
		case c.Op == changeset.Deleted:
			about[c.ID] = deletedNoteField(c)
		default:
			ids = append(ids, c.ID)
		}
	}
	kept, err := s.loadNotes(ctx, tx, ids)
	for _, k := range kept {
		about[strconv.FormatInt(k.ID, 10)] = fieldKey{entityKey{k.Table, k.Entity}, k.Column}
	}
	return about, err
}

// deletedNoteField is the field that a note was about.
func deletedNoteField(c *changeset.Change) fieldKey {
	value := func(column string) string {
		if i := slices.Index(c.Columns, column); i >= 0 && c.Before[i] != nil {
			return *c.Before[i]
		}
		return ""
	}
	return fieldKey{entityKey{value("entity_table"), value("entity_id")}, value("column_name")}
}
