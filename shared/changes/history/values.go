package history

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/postgres"
)

// Value is a value that an entity has, and the step that gave it.
type Value struct {
	Column string
	Text   *string // as Postgres writes it; nil is NULL
	// Step is the place of the step among those of the history, -1 where none that is kept
	// gave the value.
	Step int
	// Edited says that the value is another one than the step gave: somebody has changed
	// it since, past all imports.
	Edited bool
}

// Row is the number of the row that gave the value, of those that wrote the entity in that
// step's import: 0 where no step did. field is the place of the value's field in the
// entity's type, or -1. Of the last import it is known field by field, of earlier ones only
// which row came last.
func (v *Value) Row(e *postgres.Entity, steps []Step, field int) int64 {
	switch {
	case v.Step < 0:
		return 0
	case steps[v.Step].Job == e.SourceJob && field >= 0 && field < len(e.SourceCells) && e.SourceCells[field] > 0:
		return e.SourceCells[field]
	}
	return steps[v.Step].Row
}

// OriginOfValues says of each value of an entity where it is from.
func OriginOfValues(e *postgres.Entity, steps []Step, end EndReason) []Value {
	values := make([]Value, len(e.Columns))
	for i, column := range e.Columns {
		values[i] = Value{Column: column, Text: e.Values[i], Step: -1}
		for n := range steps {
			place := slices.Index(steps[n].Columns, column)
			if place < 0 {
				continue
			}
			given := steps[n].After[place]
			values[i].Step, values[i].Edited = n, !equalText(given, e.Values[i])
			break
		}
		if values[i].Step < 0 && end == EndCreated {
			values[i].Step = len(steps) - 1 // what it was made with; no step has changed it since
		}
	}
	return values
}

// StepValues are the values that a step gave the entity, as far as they are known, by column: of
// the step that made it, those that are or were changed later.
func StepValues(e *postgres.Entity, steps []Step, n int) map[string]*string {
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
	for later := range n { // the last one first, so that the earliest of them has the last word
		for i, column := range steps[later].Columns {
			given[column] = steps[later].Before[i]
		}
	}
	return given
}

// Hasher hashes values as those are hashed that an entity is made with.
type Hasher interface {
	EntityHash(ctx context.Context, tx pgx.Tx, table string, columns []string, values map[string]*string) (hash int64, ok bool, err error)
}

// EditedSinceCreation reports whether something of what an import made the entity with was
// changed past all imports: what, is not known. Where no import made it, and where its
// table has another shape now, nothing is known.
func EditedSinceCreation(ctx context.Context, tx pgx.Tx, h Hasher, e *postgres.Entity, steps []Step, end EndReason) (bool, error) {
	if end != EndCreated || len(steps[len(steps)-1].Hashed) == 0 {
		return false, nil
	}
	made := &steps[len(steps)-1]
	hash, ok, err := h.EntityHash(ctx, tx, e.Table, made.Hashed, StepValues(e, steps, len(steps)-1))
	return ok && hash != made.Hash, err
}

func equalText(x, y *string) bool { return x == nil && y == nil || x != nil && y != nil && *x == *y }
