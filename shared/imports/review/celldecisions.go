package review

import (
	"context"
	"slices"
	"strconv"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// CellDecision says one thing about a value of the file: that what it was taken for is
// right; which entity it stands for, by id or by what a file would call it; which word of
// a field that takes one of a few; that it is to have an entity of its own; that it is no
// value; or that its rows are to be left out. With
// TargetField instead of ID it is about all values of that field that stand for
// nothing yet.
type CellDecision struct {
	ID             int64  `json:"id"`
	TargetField    string `json:"targetField"`
	Confirm        bool   `json:"confirm"`
	TargetEntityID *int64 `json:"targetEntityId"`
	TargetValue    string `json:"targetValue"`
	Create         bool   `json:"create"`
	Empty          bool   `json:"empty"`
	Ignore         bool   `json:"ignore"`
}

// cellActions lists the members of Cell of which one is given.
const cellActions = "targetEntityId, targetValue, create, empty or ignore"

// countActions is how many things are said at once.
func (c *CellDecision) countActions() int {
	n := 0
	for _, is := range []bool{c.Confirm, c.TargetEntityID != nil, c.TargetValue != "", c.Create, c.Empty, c.Ignore} {
		if is {
			n++
		}
	}
	return n
}

// decisionTargets says which values something is said of: by their ids, and the open ones of fields.
func decisionTargets(said []CellDecision) (ids []int64, fields []string) {
	for _, c := range said {
		if c.TargetField == "" {
			ids = append(ids, c.ID)
		} else {
			fields = append(fields, c.TargetField)
		}
	}
	return ids, fields
}

// cellDecider applies decisions to the mappings of values.
type cellDecider struct {
	decl     *entity.Declaration
	settings entity.Settings
	cells    []job.MappedCell // that something is said of
	fields   []string         // of which the file has values, of those that something is said of
	changed  map[int]bool
	targets  *targetLookup
}

func (a *cellDecider) changes() []job.MappedCell {
	changed := make([]job.MappedCell, 0, len(a.changed))
	for i := range a.cells {
		if a.changed[i] {
			changed = append(changed, a.cells[i])
		}
	}
	return changed
}

// applyAll applies the decisions about single values first: those about a whole
// field are for the values that are left.
func (a *cellDecider) applyAll(ctx context.Context, said []CellDecision) error {
	places := make(map[int64]int, len(a.cells))
	for i := range a.cells {
		places[a.cells[i].ID] = i
	}
	fieldOf := func(c *CellDecision) string {
		if i, known := places[c.ID]; known && c.TargetField == "" {
			return a.cells[i].TargetField
		}
		return c.TargetField
	}
	if err := a.targets.preload(ctx, a.decl, said, fieldOf); err != nil {
		return err
	}
	for _, c := range said {
		if c.TargetField == "" {
			i, known := places[c.ID]
			if err := a.applyOne(ctx, c, i, known); err != nil {
				return err
			}
		}
	}
	for _, c := range said {
		if c.TargetField != "" {
			if err := a.applyToField(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *cellDecider) applyOne(ctx context.Context, said CellDecision, i int, known bool) error {
	if !known {
		return invalidDecision("The id %d is not that of a value of this import.", said.ID)
	}
	if a.changed[i] {
		return invalidDecision("The value %d is there twice.", said.ID)
	}
	return a.apply(ctx, i, said, true)
}

func (a *cellDecider) applyToField(ctx context.Context, said CellDecision) error {
	if said.ID != 0 || said.Confirm {
		return invalidDecision("With targetField, give %s, and no id.", cellActions)
	}
	if !slices.Contains(a.fields, said.TargetField) {
		return invalidDecision("This import asks for no values of such a field.").
			With(entity.Shorten(said.TargetField), problem.MappingInvalid, "A field that the cell mappings name.")
	}
	for i, c := range a.cells {
		if c.TargetField == said.TargetField && c.Status == job.Unresolved && !a.changed[i] {
			// A default for whatever is left says nothing about any one of the values.
			if err := a.apply(ctx, i, said, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply changes mapping i as is said, of this very value or of several at once.
func (a *cellDecider) apply(ctx context.Context, i int, said CellDecision, single bool) error {
	m := &a.cells[i]
	if said.countActions() != 1 {
		return invalidDecision("Say one thing about the value %d: confirm, %s.", m.ID, cellActions)
	}
	index := a.decl.FieldIndex(m.TargetField)
	if index < 0 || !a.decl.Fields[index].HasMappableValues() {
		return invalidDecision("This version knows no field of the value %d.", m.ID)
	}
	if err := a.setValue(ctx, m, &a.decl.Fields[index], said); err != nil {
		return err
	}
	m.Confirmed, m.Decided = true, single
	a.changed[i] = true
	return nil
}

// setValue makes a value of a field stand for what is said.
func (a *cellDecider) setValue(ctx context.Context, m *job.MappedCell, f *entity.Field, said CellDecision) error {
	switch {
	case said.Ignore:
		m.SetTarget(job.Ignored, job.MappedCell{})
	case said.Empty && f.Required:
		return invalidDecision("%s is required, so the value %d cannot be left empty.", f.Title, m.ID).
			With(f.Name, problem.MappingInvalid, "Say what it stands for, or ignore: its rows are left out.")
	case said.Empty:
		m.SetTarget(job.ManualMatched, job.MappedCell{Empty: true})
	case said.TargetEntityID != nil:
		return a.setEntity(ctx, m, f, *said.TargetEntityID)
	case said.TargetValue != "":
		return a.setWord(ctx, m, f, said.TargetValue)
	case said.Create:
		return a.setCreate(m, f)
	case !m.HasTarget():
		return invalidDecision("The value %d was taken for nothing that could be confirmed.", m.ID)
	default:
		m.Status = job.ManualMatched
	}
	return nil
}

// setEntity makes a value stand for an entity that there is. Where the text of the name is
// what is written, it is kept, so that all that read the file read the same.
func (a *cellDecider) setEntity(ctx context.Context, m *job.MappedCell, f *entity.Field, id int64) error {
	var name string
	var exists bool
	var err error
	if f.Lookup != nil {
		name, exists, err = a.targets.nameByID(ctx, f, id)
	}
	if err != nil {
		return err
	}
	if !exists {
		return invalidDecision("There is nothing with the id %d that the value %d could stand for.", id, m.ID).
			With(m.TargetField, problem.MappingInvalid, "One of its candidates.")
	}
	stands := job.MappedCell{EntityID: strconv.FormatInt(id, 10)}
	if f.IsContextList() {
		stands.TargetValue = name
	}
	m.SetTarget(job.ManualMatched, stands)
	return nil
}

// setWord makes a value stand for a word of its field, or for the entity that a file would
// call so.
func (a *cellDecider) setWord(ctx context.Context, m *job.MappedCell, f *entity.Field, text string) error {
	if f.Lookup == nil {
		word, ok := f.FindWord(text)
		if !ok {
			return invalidDecision("%s takes no such word, for which the value %d could stand.", f.Title, m.ID).
				With(f.Name, problem.MappingInvalid, problem.OneOf(f.Words()))
		}
		m.SetTarget(job.ManualMatched, job.MappedCell{TargetValue: word})
		return nil
	}
	id := a.targets.idByName(f, text)
	if id == 0 {
		return invalidDecision("There is nothing of that name that the value %d could stand for.", m.ID).
			With(f.Name, problem.MappingInvalid, "One of its candidates.")
	}
	return a.setEntity(ctx, m, f, id)
}

// setCreate makes a value stand for an entity that is still to be made, where the
// type allows that.
func (a *cellDecider) setCreate(m *job.MappedCell, f *entity.Field) error {
	if f.Lookup == nil || !f.Lookup.CanCreateIn(m.Value, a.settings) {
		return invalidDecision("Nothing can be created of the value %d.", m.ID).
			With(m.TargetField, problem.MappingInvalid, "Values of fields with canCreate, up to 200 characters.")
	}
	m.SetTarget(job.ManualMatched, job.MappedCell{Create: true})
	return nil
}
