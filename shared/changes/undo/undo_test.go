package undo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/undo"
)

// updated is a change of NAME from Cem to Cem Demir, and of what the other pairs say.
func updated(more ...string) *changeset.Change {
	c := &changeset.Change{Op: changeset.Updated, Columns: []string{"name"}, Before: []*string{new("Cem")}, After: []*string{new("Cem Demir")}}
	for i := 0; i < len(more); i += 3 {
		c.Columns = append(c.Columns, more[i])
		c.Before, c.After = append(c.Before, text(more[i+1])), append(c.After, text(more[i+2]))
	}
	return c
}

// text is nil for "-".
func text(s string) *string {
	if s == "-" {
		return nil
	}
	return &s
}

func entity(pairs ...string) *undo.Entity {
	e := &undo.Entity{Values: make(map[string]*string)}
	for i := 0; i < len(pairs); i += 2 {
		e.Values[pairs[i]] = text(pairs[i+1])
	}
	return e
}

func TestWhatBecomesOfAnUpdate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change *changeset.Change
		now    *undo.Entity
		force  bool
		want   undo.Decision
	}{
		"untouched":                   {updated(), entity("name", "Cem Demir"), false, undo.Decision{Act: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}}},
		"edited since":                {updated(), entity("name", "Cem D."), false, undo.Decision{Kept: []string{"name"}}},
		"edited since, by force":      {updated(), entity("name", "Cem D."), true, undo.Decision{Act: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}, Past: []string{"name"}}},
		"as before already":           {updated(), entity("name", "Cem"), false, undo.Decision{Back: []string{"name"}}},
		"as before, by force":         {updated(), entity("name", "Cem"), true, undo.Decision{Back: []string{"name"}}},
		"one of two edited":           {updated("role", "user", "admin"), entity("name", "Cem D.", "role", "admin"), false, undo.Decision{Act: undo.Restore, Columns: []string{"role"}, Values: []*string{new("user")}, Kept: []string{"name"}}},
		"from nothing":                {updated("phone", "-", "7"), entity("name", "Cem D.", "phone", "7"), false, undo.Decision{Act: undo.Restore, Columns: []string{"phone"}, Values: []*string{nil}, Kept: []string{"name"}}},
		"emptied since":               {updated(), entity("name", "-"), false, undo.Decision{Kept: []string{"name"}}},
		"deleted since":               {updated(), nil, false, undo.Decision{KeptWhole: true}},
		"deleted since, by force":     {updated(), nil, true, undo.Decision{KeptWhole: true}},
		"a column that is no more":    {updated(), entity("role", "user"), false, undo.Decision{}},
		"only the source changed":     {&changeset.Change{Op: changeset.Updated}, entity(), false, undo.Decision{}},
		"and is gone":                 {&changeset.Change{Op: changeset.Updated}, nil, false, undo.Decision{}},
		"with the time of change":     {updated("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "2"), false, undo.Decision{Act: undo.Restore, Columns: []string{"name", "updated_at"}, Values: []*string{new("Cem"), new("1")}}},
		"which somebody has set":      {updated("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "3"), false, undo.Decision{Act: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}, Overtaken: []string{"updated_at"}}},
		"or an import, with the rest": {updated("updated_at", "1", "2"), entity("name", "Cem D.", "updated_at", "3"), false, undo.Decision{Kept: []string{"name"}, Overtaken: []string{"updated_at"}}},
		"past which force goes":       {updated("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "3"), true, undo.Decision{Act: undo.Restore, Columns: []string{"name", "updated_at"}, Values: []*string{new("Cem"), new("1")}, Past: []string{"updated_at"}}},
		"which went back before":      {updated("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "1"), false, undo.Decision{Act: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}, Back: []string{"updated_at"}}},
		"which alone could go back":   {updated("updated_at", "1", "2"), entity("name", "Cem D.", "updated_at", "2"), false, undo.Decision{Kept: []string{"name"}}},
		"which alone is as it was":    {updated("updated_at", "1", "2"), entity("name", "Cem", "updated_at", "2"), false, undo.Decision{Act: undo.Restore, Columns: []string{"updated_at"}, Values: []*string{new("1")}, Back: []string{"name"}}},
		"to a value that was undone":  {updated("role", "undone", "admin"), entity("name", "Cem", "role", "admin"), false, undo.Decision{Act: undo.Restore, Columns: []string{"role"}, Values: []*string{new("instead")}, Back: []string{"name"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instead := func(_ string, before *string) *string {
				if before != nil && *before == "undone" {
					return new("instead")
				}
				return before
			}
			require.Equal(t, c.want, undo.Decide(c.change, c.now, instead, c.force))
		})
	}
}

func TestWhatBecomesOfWhatWasCreatedOrDeleted(t *testing.T) {
	t.Parallel()
	created := &changeset.Change{Op: changeset.Created, Hash: 7}
	deleted := &changeset.Change{Op: changeset.Deleted, Columns: []string{"name", "phone"}, Before: []*string{new("Cem"), nil}}
	back := undo.Decision{Act: undo.BringBack, Columns: deleted.Columns, Values: deleted.Before}
	for name, c := range map[string]struct {
		change *changeset.Change
		now    *undo.Entity
		force  bool
		want   undo.Decision
	}{
		"created, untouched":           {created, &undo.Entity{Hash: 7, Hashed: true}, false, undo.Decision{Act: undo.Remove}},
		"created, touched":             {created, &undo.Entity{Hash: 8, Hashed: true}, false, undo.Decision{KeptWhole: true}},
		"created, touched, by force":   {created, &undo.Entity{Hash: 8, Hashed: true}, true, undo.Decision{Act: undo.Remove}},
		"created, with other columns":  {created, &undo.Entity{Hash: 7}, false, undo.Decision{KeptWhole: true}},
		"created, gone":                {created, nil, false, undo.Decision{}},
		"deleted":                      {deleted, nil, false, back},
		"deleted, by force":            {deleted, nil, true, back},
		"deleted, back already":        {deleted, entity("name", "Cem", "phone", "-"), false, undo.Decision{}},
		"deleted, its id is another's": {deleted, entity("name", "Dan", "phone", "-"), false, undo.Decision{KeptWhole: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, undo.Decide(c.change, c.now, undo.AsBefore, c.force))
		})
	}
}

// A note is heeded by what goes back to what it says, and by what had gone there because of
// it; not by what stays, be it for somebody's edit or because all else does.
func TestWhichNotesAreHeeded(t *testing.T) {
	t.Parallel()
	notes := undo.Of{
		{ID: 20, Column: "name", Given: new("Cem"), Instead: new("C."), Since: 5},
		{ID: 21, Column: "updated_at", Given: new("1"), Instead: new("0"), Since: 5},
	}
	change := updated("updated_at", "1", "2")
	for name, c := range map[string]struct {
		now  *undo.Entity
		want []int64
	}{
		"all goes back":                     {entity("name", "Cem Demir", "updated_at", "2"), []int64{20, 21}},
		"the time stays, it was overtaken":  {entity("name", "Cem Demir", "updated_at", "3"), []int64{20}},
		"all stays, and with it the time":   {entity("name", "Cem D.", "updated_at", "2"), nil},
		"somebody has put back all of them": {entity("name", "C.", "updated_at", "0"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instead := func(column string, before *string) *string {
				back, _ := notes.Back(column, before, 10)
				return back
			}
			d := undo.Decide(change, c.now, instead, false)
			require.Equal(t, c.want, notes.Heeded(change, &d, 10))
		})
	}
}
