// Package history tells which imports gave an entity its values, back as far as change
// sets are kept.
//
// An entity says which import and which row of its file wrote it last, and each change
// says the same of what was before it. So its history is a chain through the change sets,
// of which a part is read for each step: nothing is kept for each entity, and no index
// grows with the rows that are imported.
//
// Tested by shared/step and shared/httpapi: after imports of all kinds, and as a response.
package history

import (
	"context"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
)

// MaxSteps is how far back a history goes at most; maxParts, in how many parts of one
// import's change set a step is looked for.
const (
	MaxSteps = 200
	maxParts = 500
)

// Store reads change sets.
type Store interface {
	RowChanges(ctx context.Context, tx pgx.Tx, key job.Key, row int64, before postgres.ChangesAt) (postgres.ChangesPart, bool, error)
}

// Step is what one import did to the entity.
type Step struct {
	Job job.Key
	changeset.Change
	postgres.ChangesPart // that the change is in, without its changes
}

// End is why a history begins where it does.
type End uint8

// What is before the first step.
const (
	Made    End = iota // nothing: the step made the entity
	Foreign            // what no import wrote
	Lost               // an import whose changes are not kept, or not any more
	Cut                // more than MaxSteps
)

// place is one change of one import.
type place struct {
	job   job.Key
	at    postgres.ChangesAt
	index int
}

// Walk returns what imports did to an entity, the last first. Imports may come to a row
// again, so that a step leads back to its own import and row: no change is taken twice.
func Walk(ctx context.Context, tx pgx.Tx, store Store, e *postgres.Entity) (steps []Step, end End, err error) {
	seen := make(map[place]bool)
	for key, row := e.SourceJob, e.SourceRow; ; {
		if key == 0 {
			return steps, Foreign, nil
		}
		if len(steps) == MaxSteps {
			return steps, Cut, nil
		}
		step, found, err := find(ctx, tx, store, e, key, row, seen)
		if err != nil || !found {
			return steps, Lost, err
		}
		steps = append(steps, step)
		if step.Op == changeset.Created {
			return steps, Made, nil
		}
		key, row = job.Key(step.PrevJob), step.PrevRow
	}
}

// find returns the last change of the entity by a row of an import that is not seen yet.
func find(ctx context.Context, tx pgx.Tx, store Store, e *postgres.Entity, key job.Key, row int64, seen map[place]bool) (Step, bool, error) {
	before := postgres.ChangesAt{Chunk: math.MaxInt32}
	for range maxParts {
		part, ok, err := store.RowChanges(ctx, tx, key, row, before)
		if err != nil || !ok {
			return Step{}, false, err
		}
		for i, c := range slices.Backward(part.Changes) {
			at := place{key, part.At, i}
			if c.Row != row || c.Table != e.Table || c.ID != e.ID || c.Op == changeset.Deleted || seen[at] {
				continue
			}
			seen[at], part.Changes = true, nil
			return Step{key, c, part}, true, nil
		}
		before = part.At
	}
	return Step{}, false, nil
}
