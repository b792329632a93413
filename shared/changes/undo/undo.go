// Package undo decides what becomes of an entity when what an import has changed in it is
// taken back. It compares values, not who wrote an entity last: people and programs that
// change entities do not say so.
//
// A field goes back only if it still has the value that the import gave it, an entity that
// the import created goes only if nothing has touched it since, and one that it deleted
// comes back. What stays says why.
package undo

import (
	"slices"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

// Action is what is to be done to an entity.
type Action byte

// The acts.
const (
	None     Action = iota // it is as it was before already, or stays as it is
	Restore                // columns get the values of before
	Delete                 // it was created, and goes
	Recreate               // it was deleted, and comes back
)

// Entity is an entity as it stands.
type Entity struct {
	// Values are those of the columns that were asked for, as texts that Postgres writes;
	// nil is NULL.
	Values map[string]*string
	// Hash is that of the columns that a created entity was hashed by: see changeset.Change.
	// Hashed is false where one of them is no more: nobody can tell then.
	Hash   int64
	Hashed bool
}

// Reversal is what becomes of one change.
type Reversal struct {
	Action Action
	// Columns get Values: in a Restore, and in a Recreate.
	Columns []string
	Values  []*string
	// Kept are the columns that stay as they are because they have been changed since.
	KeptColumns []string
	// Overtaken are those of them that say no more than when the entity was changed: they are
	// no reason to keep anything, so that nobody is told.
	KeptTimestamps []string
	// Back are the columns that are as they were already: there is nothing to be done, but if
	// that is due to an import which is undone later, it must not bring back what was given.
	AlreadyReverted []string
	// Past are those of Columns that go back past what somebody has given them since: if that
	// was an import which is undone later, it must not bring back what was given either.
	Overwritten []string
	// EntityKept says so of an entity as a whole: it has been changed, deleted, or made
	// anew since.
	EntityKept bool
}

// RevertTarget returns what a column goes back to: the value that it had before, or, where an
// import that was undone since had given it that one, the value from before that import.
type RevertTarget func(column string, before *string) *string

// RevertToBefore is the Instead of entities of which nothing was undone.
func RevertToBefore(_ string, before *string) *string { return before }

// ComputeReversal says what is to be done about a change in an entity as it stands; nil is none.
// force takes back what has been changed since as well.
func ComputeReversal(c *changeset.Change, now *Entity, instead RevertTarget, force bool) Reversal {
	switch c.Op {
	case changeset.Created:
		switch {
		case now == nil:
			return Reversal{}
		case force || now.Hashed && now.Hash == c.Hash:
			return Reversal{Action: Delete}
		}
		return Reversal{EntityKept: true}
	case changeset.Deleted:
		if now == nil {
			return Reversal{Action: Recreate, Columns: c.Columns, Values: c.Before}
		}
		return Reversal{EntityKept: !unchangedSinceDelete(c, now)}
	}
	if now == nil {
		return Reversal{EntityKept: len(c.Columns) > 0}
	}
	return revertUpdate(c, now, instead, force)
}

// revertUpdate decides about an update column by column.
func revertUpdate(c *changeset.Change, now *Entity, instead RevertTarget, force bool) (d Reversal) {
	for i, column := range c.Columns {
		value, known := now.Values[column]
		if !known {
			continue // the table has no such column any more
		}
		back := instead(column, c.Before[i])
		switch {
		case equalText(value, back):
			d.AlreadyReverted = append(d.AlreadyReverted, column)
		case force || equalText(value, c.After[i]):
			d.Columns, d.Values = append(d.Columns, column), append(d.Values, back)
			if !equalText(value, c.After[i]) {
				d.Overwritten = append(d.Overwritten, column)
			}
		case isBookkeeping(column):
			d.KeptTimestamps = append(d.KeptTimestamps, column)
		default:
			d.KeptColumns = append(d.KeptColumns, column)
		}
	}
	if len(d.Columns) > 0 && !slices.ContainsFunc(d.Columns, func(name string) bool { return !isBookkeeping(name) }) && len(d.KeptColumns) > 0 {
		// All that the import has given stays: so does the time at which it was given.
		return Reversal{KeptColumns: d.KeptColumns, AlreadyReverted: d.AlreadyReverted}
	}
	if len(d.Columns) > 0 {
		d.Action = Restore
	}
	return d
}

// isBookkeeping reports whether a column says when an entity was changed, and nothing about
// it: whoever changes anything changes it too.
func isBookkeeping(column string) bool { return column == "updated_at" }

// unchangedSinceDelete reports whether an entity is the one that was deleted.
func unchangedSinceDelete(c *changeset.Change, now *Entity) bool {
	for i, column := range c.Columns {
		if value, known := now.Values[column]; known && !equalText(value, c.Before[i]) {
			return false
		}
	}
	return true
}

func equalText(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
