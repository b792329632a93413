// Package history finds the imports that set the values of an entity, as far back as change
// sets are retained.
//
// An entity records the import and the row of its file that wrote it last, and each change
// records the previous ones. The history is therefore a chain through the change sets, and
// each step reads one part: nothing is stored per entity, and no index grows with the
// imported rows.
//
// Tested by shared/step and shared/httpapi: after imports of all kinds, and as a response.
package history

import (
	"context"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/job"
)

// MaxSteps is the maximum length of a history; maxParts is the maximum number of parts of one
// import's change set that are searched for a step.
const (
	MaxSteps        = 200
	maxPartsPerStep = 500
)

// Store reads change sets.
type Store interface {
	RowChanges(ctx context.Context, tx pgx.Tx, key job.Key, row int64, before changeset.Position) (changeset.StoredPart, bool, error)
	// DeclaredChanges calls f with the parts of actual change sets of a declared table, the newest first,
	// until f returns false or there are limit of them. It returns the number of calls.
	DeclaredChanges(ctx context.Context, tx pgx.Tx, table string, limit int, f func(job.Key, changeset.StoredPart) bool) (int, error)
	// LostDeclaredChanges reports whether change sets of a declared table have been deleted.
	LostDeclaredChanges(ctx context.Context, tx pgx.Tx, importType string) (bool, error)
}

// Step is the change that one import made to the entity.
type Step struct {
	Job job.Key
	changeset.Change
	changeset.StoredPart // the part that contains the change, without its changes
}

// EndReason is the reason why a history does not go further back.
type EndReason uint8

// What precedes the first step.
const (
	EndCreated   EndReason = iota // nothing: the step created the entity
	EndForeign                    // a change that no import made
	EndLost                       // an import without stored changes, or with deleted ones
	EndTruncated                  // more than MaxSteps steps
)

// changeRef identifies one change of one import.
type changeRef struct {
	job   job.Key
	at    changeset.Position
	index int
}

// Load returns the changes that imports made to an entity, newest first. An import may write a
// row again, so a step can lead to its own import and row: each change is returned only once.
func Load(ctx context.Context, tx pgx.Tx, store Store, e *entitytable.Entity) (steps []Step, end EndReason, err error) {
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

// LoadDeclared is Load for an entity of a declared table, which does not record who wrote it: all change
// sets of the table are searched, the newest first, as far as a request has time. A transaction that writes an
// entity has locked it, so its changes are stored in the order in which they were made.
func LoadDeclared(ctx context.Context, tx pgx.Tx, store Store, importType string, e *entitytable.Entity) (steps []Step, end EndReason, err error) {
	end = EndForeign
	n, err := store.DeclaredChanges(ctx, tx, e.Table, maxPartsPerStep, func(key job.Key, part changeset.StoredPart) bool {
		changes := part.Changes
		part.Changes = nil
		for _, c := range slices.Backward(changes) {
			if c.Table != e.Table || c.ID != e.ID {
				continue
			}
			if c.Op == changeset.Deleted {
				return false // others have created the entity again
			}
			if steps = append(steps, Step{key, c, part}); c.Op == changeset.Created {
				end = EndCreated
				return false
			}
			if len(steps) == MaxSteps {
				end = EndTruncated
				return false
			}
		}
		return true
	})
	if err != nil || end != EndForeign {
		return steps, end, err
	}
	if n == maxPartsPerStep {
		return steps, EndTruncated, nil
	}
	lost, err := store.LostDeclaredChanges(ctx, tx, importType)
	if lost {
		end = EndLost
	}
	return steps, end, err
}

// findChange returns the entity's last change by a row of an import that is not in seen.
func findChange(ctx context.Context, tx pgx.Tx, store Store, e *entitytable.Entity, key job.Key, row int64, seen map[changeRef]bool) (Step, bool, error) {
	before := changeset.Position{Chunk: math.MaxInt32}
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
