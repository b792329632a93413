package undo

import (
	"context"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/problem"
)

type entityKey struct{ table, id string }

// maxParts is the maximum number of parts of change sets that an undo processes, including those
// of later imports in a cascade.
const maxParts = 20_000

// loadScope determines the entities that a cascade covers.
func (s *Step) loadScope(ctx context.Context, tx pgx.Tx, w *undoRun, own []changeset.PartInfo) error {
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

// laterParts returns the parts including those of later imports, with the number of changes that
// concern entities of the cascade.
func (s *Step) laterParts(ctx context.Context, tx pgx.Tx, w *undoRun, own []changeset.PartInfo) ([]changeset.PartInfo, error) {
	all, err := s.store.ChangesSince(ctx, tx, own[len(own)-1].Place, maxParts+1)
	if err != nil {
		return nil, err
	}
	if len(all) > maxParts {
		return nil, problem.New(problem.StateConflict, "There are too many later imports for a cascade. Undo the later imports first.")
	}
	var parts []changeset.PartInfo
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

// within returns the changes that are in the scope of the undo.
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

// shown counts the changes of entities, without the notes about them.
func shown(changes []changeset.Change) (n int) {
	for i := range changes {
		if !changes[i].IsInternal() {
			n++
		}
	}
	return n
}

// withNotes returns the changes of a part that are in the scope of the undo, and the notes of its
// job about the fields that these changes set: if the job is an undo, these notes no longer
// apply. Its notes about other fields remain valid, since those are not reverted.
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

// fieldKey identifies a column of an entity.
type fieldKey struct {
	entity entityKey
	column string
}

// notedFields returns the fields of the notes that a part has created, changed or deleted, by
// note id. Notes that no longer exist have nothing to revert.
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

// deletedNoteField returns the field of a deleted note.
func deletedNoteField(c *changeset.Change) fieldKey {
	value := func(column string) string {
		if i := slices.Index(c.Columns, column); i >= 0 && c.Before[i] != nil {
			return *c.Before[i]
		}
		return ""
	}
	return fieldKey{entityKey{value("entity_table"), value("entity_id")}, value("column_name")}
}
