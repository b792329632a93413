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

// Act is what is to be done to an entity.
type Act byte

// The acts.
const (
	Nothing   Act = iota // it is as it was before already, or stays as it is
	Restore              // columns get the values of before
	Remove               // it was created, and goes
	BringBack            // it was deleted, and comes back
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

// Decision is what becomes of one change.
type Decision struct {
	Act Act
	// Columns get Values: in a Restore, and in a BringBack.
	Columns []string
	Values  []*string
	// Kept are the columns that stay as they are because they have been changed since.
	Kept []string
	// Overtaken are those of them that say no more than when the entity was changed: they are
	// no reason to keep anything, so that nobody is told.
	Overtaken []string
	// Back are the columns that are as they were already: there is nothing to be done, but if
	// that is due to an import which is undone later, it must not bring back what was given.
	Back []string
	// Past are those of Columns that go back past what somebody has given them since: if that
	// was an import which is undone later, it must not bring back what was given either.
	Past []string
	// KeptWhole says so of an entity as a whole: it has been changed, deleted, or made
	// anew since.
	KeptWhole bool
}

// Instead returns what a column goes back to: the value that it had before, or, where an
// import that was undone since had given it that one, the value from before that import.
type Instead func(column string, before *string) *string

// AsBefore is the Instead of entities of which nothing was undone.
func AsBefore(_ string, before *string) *string { return before }

// Decide says what is to be done about a change in an entity as it stands; nil is none.
// force takes back what has been changed since as well.
func Decide(c *changeset.Change, now *Entity, instead Instead, force bool) Decision {
	switch c.Op {
	case changeset.Created:
		switch {
		case now == nil:
			return Decision{}
		case force || now.Hashed && now.Hash == c.Hash:
			return Decision{Act: Remove}
		}
		return Decision{KeptWhole: true}
	case changeset.Deleted:
		if now == nil {
			return Decision{Act: BringBack, Columns: c.Columns, Values: c.Before}
		}
		return Decision{KeptWhole: !sameValues(c, now)}
	}
	if now == nil {
		return Decision{KeptWhole: len(c.Columns) > 0}
	}
	return restore(c, now, instead, force)
}

// restore decides about an update column by column.
func restore(c *changeset.Change, now *Entity, instead Instead, force bool) (d Decision) {
	for i, column := range c.Columns {
		value, known := now.Values[column]
		if !known {
			continue // the table has no such column any more
		}
		back := instead(column, c.Before[i])
		switch {
		case same(value, back):
			d.Back = append(d.Back, column)
		case force || same(value, c.After[i]):
			d.Columns, d.Values = append(d.Columns, column), append(d.Values, back)
			if !same(value, c.After[i]) {
				d.Past = append(d.Past, column)
			}
		case bookkeeping(column):
			d.Overtaken = append(d.Overtaken, column)
		default:
			d.Kept = append(d.Kept, column)
		}
	}
	if len(d.Columns) > 0 && !slices.ContainsFunc(d.Columns, func(name string) bool { return !bookkeeping(name) }) && len(d.Kept) > 0 {
		// All that the import has given stays: so does the time at which it was given.
		return Decision{Kept: d.Kept, Back: d.Back}
	}
	if len(d.Columns) > 0 {
		d.Act = Restore
	}
	return d
}

// bookkeeping reports whether a column says when an entity was changed, and nothing about
// it: whoever changes anything changes it too.
func bookkeeping(column string) bool { return column == "updated_at" }

// sameValues reports whether an entity is the one that was deleted.
func sameValues(c *changeset.Change, now *Entity) bool {
	for i, column := range c.Columns {
		if value, known := now.Values[column]; known && !same(value, c.Before[i]) {
			return false
		}
	}
	return true
}

func same(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
