package undo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/undo"
)

// updatedChange is a change of NAME from Cem to Cem Demir, and of what the other pairs say.
func updatedChange(more ...string) *changeset.Change {
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

func TestReverseUpdate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change *changeset.Change
		now    *undo.Entity
		force  bool
		want   undo.Reversal
	}{
		"untouched":                   {updatedChange(), entity("name", "Cem Demir"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}}},
		"edited since":                {updatedChange(), entity("name", "Cem D."), false, undo.Reversal{KeptColumns: []string{"name"}}},
		"edited since, by force":      {updatedChange(), entity("name", "Cem D."), true, undo.Reversal{Action: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}, Overwritten: []string{"name"}}},
		"as before already":           {updatedChange(), entity("name", "Cem"), false, undo.Reversal{AlreadyReverted: []string{"name"}}},
		"as before, by force":         {updatedChange(), entity("name", "Cem"), true, undo.Reversal{AlreadyReverted: []string{"name"}}},
		"one of two edited":           {updatedChange("role", "user", "admin"), entity("name", "Cem D.", "role", "admin"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"role"}, Values: []*string{new("user")}, KeptColumns: []string{"name"}}},
		"from nothing":                {updatedChange("phone", "-", "7"), entity("name", "Cem D.", "phone", "7"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"phone"}, Values: []*string{nil}, KeptColumns: []string{"name"}}},
		"emptied since":               {updatedChange(), entity("name", "-"), false, undo.Reversal{KeptColumns: []string{"name"}}},
		"deleted since":               {updatedChange(), nil, false, undo.Reversal{EntityKept: true}},
		"deleted since, by force":     {updatedChange(), nil, true, undo.Reversal{EntityKept: true}},
		"a column that is no more":    {updatedChange(), entity("role", "user"), false, undo.Reversal{}},
		"only the source changed":     {&changeset.Change{Op: changeset.Updated}, entity(), false, undo.Reversal{}},
		"and is gone":                 {&changeset.Change{Op: changeset.Updated}, nil, false, undo.Reversal{}},
		"with the time of change":     {updatedChange("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "2"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"name", "updated_at"}, Values: []*string{new("Cem"), new("1")}}},
		"which somebody has set":      {updatedChange("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "3"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}, KeptTimestamps: []string{"updated_at"}}},
		"or an import, with the rest": {updatedChange("updated_at", "1", "2"), entity("name", "Cem D.", "updated_at", "3"), false, undo.Reversal{KeptColumns: []string{"name"}, KeptTimestamps: []string{"updated_at"}}},
		"past which force goes":       {updatedChange("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "3"), true, undo.Reversal{Action: undo.Restore, Columns: []string{"name", "updated_at"}, Values: []*string{new("Cem"), new("1")}, Overwritten: []string{"updated_at"}}},
		"which went back before":      {updatedChange("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "1"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}, AlreadyReverted: []string{"updated_at"}}},
		"which alone could go back":   {updatedChange("updated_at", "1", "2"), entity("name", "Cem D.", "updated_at", "2"), false, undo.Reversal{KeptColumns: []string{"name"}}},
		"which alone is as it was":    {updatedChange("updated_at", "1", "2"), entity("name", "Cem", "updated_at", "2"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"updated_at"}, Values: []*string{new("1")}, AlreadyReverted: []string{"name"}}},
		"to a value that was undone":  {updatedChange("role", "undone", "admin"), entity("name", "Cem", "role", "admin"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"role"}, Values: []*string{new("instead")}, AlreadyReverted: []string{"name"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instead := func(_ string, before *string) *string {
				if before != nil && *before == "undone" {
					return new("instead")
				}
				return before
			}
			require.Equal(t, c.want, undo.ComputeReversal(c.change, c.now, instead, c.force))
		})
	}
}

func TestReverseCreateAndDelete(t *testing.T) {
	t.Parallel()
	created := &changeset.Change{Op: changeset.Created, Hash: 7}
	deleted := &changeset.Change{Op: changeset.Deleted, Columns: []string{"name", "phone"}, Before: []*string{new("Cem"), nil}}
	back := undo.Reversal{Action: undo.Recreate, Columns: deleted.Columns, Values: deleted.Before}
	for name, c := range map[string]struct {
		change *changeset.Change
		now    *undo.Entity
		force  bool
		want   undo.Reversal
	}{
		"created, untouched":           {created, &undo.Entity{Hash: 7, Hashed: true}, false, undo.Reversal{Action: undo.Delete}},
		"created, touched":             {created, &undo.Entity{Hash: 8, Hashed: true}, false, undo.Reversal{EntityKept: true}},
		"created, touched, by force":   {created, &undo.Entity{Hash: 8, Hashed: true}, true, undo.Reversal{Action: undo.Delete}},
		"created, with other columns":  {created, &undo.Entity{Hash: 7}, false, undo.Reversal{EntityKept: true}},
		"created, gone":                {created, nil, false, undo.Reversal{}},
		"deleted":                      {deleted, nil, false, back},
		"deleted, by force":            {deleted, nil, true, back},
		"deleted, back already":        {deleted, entity("name", "Cem", "phone", "-"), false, undo.Reversal{}},
		"deleted, its id is another's": {deleted, entity("name", "Dan", "phone", "-"), false, undo.Reversal{EntityKept: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, undo.ComputeReversal(c.change, c.now, undo.RevertToBefore, c.force))
		})
	}
}

// A note is heeded by what goes back to what it says, and by what had gone there because of
// it; not by what stays, be it for somebody's edit or because all else does.
func TestAppliedKeptValues(t *testing.T) {
	t.Parallel()
	notes := undo.KeptValues{
		{ID: 20, Column: "name", Value: new("Cem"), Before: new("C."), Since: 5},
		{ID: 21, Column: "updated_at", Value: new("1"), Before: new("0"), Since: 5},
	}
	change := updatedChange("updated_at", "1", "2")
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
				back, _ := notes.RevertTarget(column, before, 10)
				return back
			}
			d := undo.ComputeReversal(change, c.now, instead, false)
			require.Equal(t, c.want, notes.Applied(change, &d, 10))
		})
	}
}
