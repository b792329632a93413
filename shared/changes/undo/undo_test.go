package undo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/undo"
)

// updatedChange returns a change of NAME from Cem to Cem Demir, and of the columns in more.
func updatedChange(more ...string) *changeset.Change {
	c := &changeset.Change{Op: changeset.Updated, Columns: []string{"name"}, Before: []*string{new("Cem")}, After: []*string{new("Cem Demir")}}
	for i := 0; i < len(more); i += 3 {
		c.Columns = append(c.Columns, more[i])
		c.Before, c.After = append(c.Before, text(more[i+1])), append(c.After, text(more[i+2]))
	}
	return c
}

// text returns nil for "-".
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
		"untouched":                                     {updatedChange(), entity("name", "Cem Demir"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}}},
		"column edited since":                           {updatedChange(), entity("name", "Cem D."), false, undo.Reversal{KeptColumns: []string{"name"}}},
		"column edited since, forced":                   {updatedChange(), entity("name", "Cem D."), true, undo.Reversal{Action: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}, Overwritten: []string{"name"}}},
		"column already has its old value":              {updatedChange(), entity("name", "Cem"), false, undo.Reversal{AlreadyReverted: []string{"name"}}},
		"column already has its old value, forced":      {updatedChange(), entity("name", "Cem"), true, undo.Reversal{AlreadyReverted: []string{"name"}}},
		"one of two columns edited since":               {updatedChange("role", "user", "admin"), entity("name", "Cem D.", "role", "admin"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"role"}, Values: []*string{new("user")}, KeptColumns: []string{"name"}}},
		"old value is null":                             {updatedChange("phone", "-", "7"), entity("name", "Cem D.", "phone", "7"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"phone"}, Values: []*string{nil}, KeptColumns: []string{"name"}}},
		"column set to null since":                      {updatedChange(), entity("name", "-"), false, undo.Reversal{KeptColumns: []string{"name"}}},
		"entity deleted since":                          {updatedChange(), nil, false, undo.Reversal{EntityKept: true}},
		"entity deleted since, forced":                  {updatedChange(), nil, true, undo.Reversal{EntityKept: true}},
		"column no longer exists":                       {updatedChange(), entity("role", "user"), false, undo.Reversal{}},
		"only the source changed":                       {&changeset.Change{Op: changeset.Updated}, entity(), false, undo.Reversal{}},
		"only the source changed, entity deleted since": {&changeset.Change{Op: changeset.Updated}, nil, false, undo.Reversal{}},
		"timestamp reverted with its column":            {updatedChange("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "2"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"name", "updated_at"}, Values: []*string{new("Cem"), new("1")}}},
		"timestamp set by a later edit":                 {updatedChange("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "3"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}, KeptTimestamps: []string{"updated_at"}}},
		"timestamp and column set by a later import":    {updatedChange("updated_at", "1", "2"), entity("name", "Cem D.", "updated_at", "3"), false, undo.Reversal{KeptColumns: []string{"name"}, KeptTimestamps: []string{"updated_at"}}},
		"later timestamp overwritten, forced":           {updatedChange("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "3"), true, undo.Reversal{Action: undo.Restore, Columns: []string{"name", "updated_at"}, Values: []*string{new("Cem"), new("1")}, Overwritten: []string{"updated_at"}}},
		"timestamp already has its old value":           {updatedChange("updated_at", "1", "2"), entity("name", "Cem Demir", "updated_at", "1"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"name"}, Values: []*string{new("Cem")}, AlreadyReverted: []string{"updated_at"}}},
		"timestamp kept because its column is kept":     {updatedChange("updated_at", "1", "2"), entity("name", "Cem D.", "updated_at", "2"), false, undo.Reversal{KeptColumns: []string{"name"}}},
		"timestamp reverted, column already reverted":   {updatedChange("updated_at", "1", "2"), entity("name", "Cem", "updated_at", "2"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"updated_at"}, Values: []*string{new("1")}, AlreadyReverted: []string{"name"}}},
		"old value was undone meanwhile":                {updatedChange("role", "undone", "admin"), entity("name", "Cem", "role", "admin"), false, undo.Reversal{Action: undo.Restore, Columns: []string{"role"}, Values: []*string{new("instead")}, AlreadyReverted: []string{"name"}}},
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
		"created entity, unchanged":             {created, &undo.Entity{Hash: 7, Hashed: true}, false, undo.Reversal{Action: undo.Delete}},
		"created entity, changed since":         {created, &undo.Entity{Hash: 8, Hashed: true}, false, undo.Reversal{EntityKept: true}},
		"created entity, changed since, forced": {created, &undo.Entity{Hash: 8, Hashed: true}, true, undo.Reversal{Action: undo.Delete}},
		"created entity, other columns hashed":  {created, &undo.Entity{Hash: 7}, false, undo.Reversal{EntityKept: true}},
		"created entity, deleted since":         {created, nil, false, undo.Reversal{}},
		"deleted":                               {deleted, nil, false, back},
		"deleted entity, forced":                {deleted, nil, true, back},
		"deleted entity, already restored":      {deleted, entity("name", "Cem", "phone", "-"), false, undo.Reversal{}},
		"deleted entity, id reused":             {deleted, entity("name", "Dan", "phone", "-"), false, undo.Reversal{EntityKept: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, undo.ComputeReversal(c.change, c.now, undo.RevertToBefore, c.force))
		})
	}
}

// A note applies to columns that revert to its value, and to columns that already have that value
// because of it. It does not apply to columns that stay, because of an edit or because
// everything else stays.
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
		"both columns reverted":                    {entity("name", "Cem Demir", "updated_at", "2"), []int64{20, 21}},
		"timestamp kept because it changed since":  {entity("name", "Cem Demir", "updated_at", "3"), []int64{20}},
		"all kept, including the timestamp":        {entity("name", "Cem D.", "updated_at", "2"), nil},
		"both columns already restored by an edit": {entity("name", "C.", "updated_at", "0"), nil},
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
