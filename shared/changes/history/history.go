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
	MaxSteps        = 200
	maxPartsPerStep = 500
)

// Store reads change sets.
type Store interface {
	RowChanges(ctx context.Context, tx pgx.Tx, key job.Key, row int64, before postgres.ChangesPosition) (postgres.ChangesPart, bool, error)
}

// Step is what one import did to the entity.
type Step struct {
	Job job.Key
	changeset.Change
	postgres.ChangesPart // that the change is in, without its changes
}

// EndReason is why a history begins where it does.
type EndReason uint8

// What is before the first step.
const (
	EndCreated   EndReason = iota // nothing: the step made the entity
	EndForeign                    // what no import wrote
	EndLost                       // an import whose changes are not kept, or not any more
	EndTruncated                  // more than MaxSteps
)

// changeRef is one change of one import.
type changeRef struct {
	job   job.Key
	at    postgres.ChangesPosition
	index int
}

// Load returns what imports did to an entity, the last first. Imports may come to a row
// again, so that a step leads back to its own import and row: no change is taken twice.
func Load(ctx context.Context, tx pgx.Tx, store Store, e *postgres.Entity) (steps []Step, end EndReason, err error) {
	seen := make(map[changeRef]bool)
	for key, row := e.SourceJob, e.SourceRow; ; {
		if key == 0 {
			return steps, EndForeign, nil
		}
		if len(steps) == MaxSteps {
			return steps, EndTruncated, nil
		}
		step, found, err := findChange(ctx, tx, store, e, key, row, seen)
		if err != nil || !found {
			return steps, EndLost, err
		}
		steps = append(steps, step)
		if step.Op == changeset.Created {
			return steps, EndCreated, nil
		}
		key, row = job.Key(step.PrevJob), step.PrevRow
	}
}

// findChange returns the last change of the entity by a row of an import that is not seen yet.
func findChange(ctx context.Context, tx pgx.Tx, store Store, e *postgres.Entity, key job.Key, row int64, seen map[changeRef]bool) (Step, bool, error) {
	before := postgres.ChangesPosition{Chunk: math.MaxInt32}
	for range maxPartsPerStep {
		part, ok, err := store.RowChanges(ctx, tx, key, row, before)
		if err != nil || !ok {
			return Step{}, false, err
		}
		for i, c := range slices.Backward(part.Changes) {
			at := changeRef{key, part.At, i}
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
