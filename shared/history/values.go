package history

import (
	"slices"

	"github.com/loadbay/loadbay/shared/changeset"
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

// Values says of each value of an entity where it is from.
func Values(e *postgres.Entity, steps []Step, end End) []Value {
	values := make([]Value, len(e.Columns))
	for i, column := range e.Columns {
		values[i] = Value{Column: column, Text: e.Values[i], Step: -1}
		for n := range steps {
			place := slices.Index(steps[n].Columns, column)
			if place < 0 {
				continue
			}
			given := steps[n].After[place]
			values[i].Step, values[i].Edited = n, !same(given, e.Values[i])
			break
		}
		if values[i].Step < 0 && end == Made {
			values[i].Step = len(steps) - 1 // what it was made with; no step has changed it since
		}
	}
	return values
}

// Given are the values that a step gave the entity, as far as they are known, by column: of
// the step that made it, those that are or were changed later.
func Given(e *postgres.Entity, steps []Step, n int) map[string]*string {
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

func same(x, y *string) bool { return x == nil && y == nil || x != nil && y != nil && *x == *y }
