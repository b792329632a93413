package history

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
)

// Value is a value of an entity, and the step that set it.
type Value struct {
	Column string
	Text   *string // in the format of Postgres; nil is NULL
	// Step is the index of the step in the history, or -1 if no recorded step set the value.
	Step int
	// Edited reports that the value differs from the one that the step set: it was changed
	// since, outside of imports.
	Edited bool
}

// Row returns the number of the row that set the value, among the rows of that step's import
// that wrote the entity; 0 if no step set it. field is the index of the value's field in the
// entity's type, or -1. The rows of the last import are known by field; for earlier imports
// only the last row is known.
func (v *Value) Row(e *entitytable.Entity, steps []Step, field int) int64 {
	switch {
	case v.Step < 0:
		return 0
	case steps[v.Step].Job == e.SourceJob && field >= 0 && field < len(e.SourceCells) && e.SourceCells[field] > 0:
		return e.SourceCells[field]
	}
	return steps[v.Step].Row
}

// OriginOfValues returns the origin of each value of an entity.
func OriginOfValues(e *entitytable.Entity, steps []Step, end EndReason) []Value {
	values := make([]Value, len(e.Columns))
	for i, column := range e.Columns {
		values[i] = Value{Column: column, Text: e.Values[i], Step: -1}
		for n := range steps {
			place := slices.Index(steps[n].Columns, column)
			if place < 0 {
				continue
			}
			given := steps[n].After[place]
			values[i].Step, values[i].Edited = n, !changeset.EqualText(given, e.Values[i])
			break
		}
		if values[i].Step < 0 && end == EndCreated {
			values[i].Step = len(steps) - 1 // the value at creation; no step has changed it since
		}
	}
	return values
}

// StepValues returns the known values that a step set in the entity, by column. For the step that
// created the entity these are the values that were recorded or changed later.
func StepValues(e *entitytable.Entity, steps []Step, n int) map[string]*string {
	given := make(map[string]*string)
	if steps[n].After != nil || steps[n].Op != changeset.Created {
		for i, column := range steps[n].Columns {
			given[column] = steps[n].After[i]
		}
		return given
	}
	for i, column := range e.Columns {
		given[column] = e.Values[i]
	}
	for later := range n { // newest first, so that the earliest change wins
		for i, column := range steps[later].Columns {
			given[column] = steps[later].Before[i]
		}
	}
	return given
}

// Hasher hashes values in the same way as those of created entities.
type Hasher interface {
	EntityHash(ctx context.Context, tx pgx.Tx, e *entitytable.Entity, columns []string, values map[string]*string) (hash int64, ok bool, err error)
}

// EditedSinceCreation reports whether a value with which an import created the entity was changed
// outside of imports; which one is unknown. It reports false if no import created the entity or
// the columns of its table have changed.
func EditedSinceCreation(ctx context.Context, tx pgx.Tx, h Hasher, e *entitytable.Entity, steps []Step, end EndReason) (bool, error) {
	if end != EndCreated || len(steps[len(steps)-1].Hashed) == 0 {
		return false, nil
	}
	made := &steps[len(steps)-1]
	hash, ok, err := h.EntityHash(ctx, tx, e, made.Hashed, StepValues(e, steps, len(steps)-1))
	return ok && hash != made.Hash, err
}
