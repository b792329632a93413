// Package undo determines how to revert the changes of an import in an entity. It compares
// values instead of relying on the source of an entity, because people and programs that edit
// entities do not record a source.
//
// A field is reverted only if it still has the value that the import set. A created entity is
// deleted only if it has not been changed since, and a deleted entity is recreated. Reversal
// gives the reason for everything that stays.
package undo

import (
	"slices"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

// Action is the operation that reverts a change of an entity.
type Action byte

// The actions.
const (
	None     Action = iota // the entity already is as before, or stays as it is
	Restore                // columns get their values from before
	Delete                 // a created entity is deleted
	Recreate               // a deleted entity is recreated
)

// Entity is the current state of an entity.
type Entity struct {
	// Values holds the values of the requested columns, as text in the format of Postgres; nil is
	// NULL.
	Values map[string]*string
	// Touched are columns that only record the time of the last change, in addition to updated_at.
	Touched []string
	// Hash is the hash of the columns with which a created entity was hashed; see changeset.Change.
	// Hashed is false if one of them no longer exists, so that changes cannot be detected.
	Hash   int64
	Hashed bool
}

// Reversal describes how one change is reverted.
type Reversal struct {
	Action Action
	// Columns get Values, in a Restore and in a Recreate.
	Columns []string
	Values  []*string
	// KeptColumns are the columns that stay because they have been changed since.
	KeptColumns []string
	// KeptTimestamps are those of KeptColumns that only record the time of the last change. They
	// are no reason to keep anything, and are not reported.
	KeptTimestamps []string
	// AlreadyReverted are the columns that already have the value from before. Nothing is written,
	// but if the value comes from an import that is undone later, that undo must not restore the
	// value of this one.
	AlreadyReverted []string
	// Overwritten are those of Columns that were changed since. If an import changed it and is
	// undone later, that undo must not restore the value of this import either.
	Overwritten []string
	// EntityKept reports that the entity as a whole stays: it has been changed, deleted or
	// recreated since.
	EntityKept bool
}

// RevertTarget returns the value to which a column reverts: the value before, or, if an import
// that was undone since had set that value, the value before that import.
type RevertTarget func(column string, before *string) *string

// RevertToBefore is the RevertTarget of entities without earlier undos.
func RevertToBefore(_ string, before *string) *string { return before }

// ComputeReversal determines how to revert a change in the current state of an entity; nil means
// that it does not exist. force also reverts values that have been changed since.
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

// revertUpdate decides on an update column by column.
func revertUpdate(c *changeset.Change, now *Entity, instead RevertTarget, force bool) (d Reversal) {
	for i, column := range c.Columns {
		value, known := now.Values[column]
		if !known {
			continue // the column no longer exists
		}
		back := instead(column, c.Before[i])
		switch {
		case changeset.EqualText(value, back):
			d.AlreadyReverted = append(d.AlreadyReverted, column)
		case force || changeset.EqualText(value, c.After[i]):
			d.Columns, d.Values = append(d.Columns, column), append(d.Values, back)
			if !changeset.EqualText(value, c.After[i]) {
				d.Overwritten = append(d.Overwritten, column)
			}
		case now.isBookkeeping(column):
			d.KeptTimestamps = append(d.KeptTimestamps, column)
		default:
			d.KeptColumns = append(d.KeptColumns, column)
		}
	}
	if len(d.Columns) > 0 && !slices.ContainsFunc(d.Columns, func(name string) bool { return !now.isBookkeeping(name) }) && len(d.KeptColumns) > 0 {
		// All values of the import stay, and so does the time of the change.
		return Reversal{KeptColumns: d.KeptColumns, AlreadyReverted: d.AlreadyReverted}
	}
	if len(d.Columns) > 0 {
		d.Action = Restore
	}
	return d
}

// isBookkeeping reports whether a column only records the time of the last change. Every change
// of the entity changes it too.
func (e *Entity) isBookkeeping(column string) bool {
	return column == "updated_at" || slices.Contains(e.Touched, column)
}

// unchangedSinceDelete reports whether an entity is equal to the one that was deleted.
func unchangedSinceDelete(c *changeset.Change, now *Entity) bool {
	for i, column := range c.Columns {
		if value, known := now.Values[column]; known && !changeset.EqualText(value, c.Before[i]) {
			return false
		}
	}
	return true
}
