package review

import (
	"context"
	"slices"
	"strconv"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// Cell says one thing about a value of the file: that what it was taken for is
// right; which entity it stands for, by id or by what a file would call it; which word of
// a field that takes one of a few; that it is to have an entity of its own; that it is no
// value; or that its rows are to be left out. With
// TargetField instead of ID it is about all values of that field that stand for
// nothing yet.
type Cell struct {
	ID             int64  `json:"id"`
	TargetField    string `json:"targetField"`
	Confirm        bool   `json:"confirm"`
	TargetEntityID *int64 `json:"targetEntityId"`
	TargetValue    string `json:"targetValue"`
	Create         bool   `json:"create"`
	Empty          bool   `json:"empty"`
	Ignore         bool   `json:"ignore"`
}

// whatToSay lists the members of Cell of which one is given.
const whatToSay = "targetEntityId, targetValue, create, empty or ignore"

// given is how many things are said at once.
func (c *Cell) given() int {
	n := 0
	for _, is := range []bool{c.Confirm, c.TargetEntityID != nil, c.TargetValue != "", c.Create, c.Empty, c.Ignore} {
		if is {
			n++
		}
	}
	return n
}

// about says which values something is said of: by their ids, and the open ones of fields.
func about(said []Cell) (ids []int64, fields []string) {
	for _, c := range said {
		if c.TargetField == "" {
			ids = append(ids, c.ID)
		} else {
			fields = append(fields, c.TargetField)
		}
	}
	return ids, fields
}

// cellDecisions applies decisions to the mappings of values.
type cellDecisions struct {
	decl     *entity.Declaration
	settings entity.Settings
	cells    []job.MappedCell // that something is said of
	fields   []string         // of which the file has values, of those that something is said of
	changed  map[int]bool
	targets  *targets
}

func (a *cellDecisions) changes() []job.MappedCell {
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
func (a *cellDecisions) applyAll(ctx context.Context, said []Cell) error {
	places := make(map[int64]int, len(a.cells))
	for i := range a.cells {
		places[a.cells[i].ID] = i
	}
	fieldOf := func(c *Cell) string {
		if i, known := places[c.ID]; known && c.TargetField == "" {
			return a.cells[i].TargetField
		}
		return c.TargetField
	}
	if err := a.targets.know(ctx, a.decl, said, fieldOf); err != nil {
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
			if err := a.applyRest(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *cellDecisions) applyOne(ctx context.Context, said Cell, i int, known bool) error {
	if !known {
		return invalid("The id %d is not that of a value of this import.", said.ID)
	}
	if a.changed[i] {
		return invalid("The value %d is there twice.", said.ID)
	}
	return a.apply(ctx, i, said, true)
}

func (a *cellDecisions) applyRest(ctx context.Context, said Cell) error {
	if said.ID != 0 || said.Confirm {
		return invalid("With targetField, give %s, and no id.", whatToSay)
	}
	if !slices.Contains(a.fields, said.TargetField) {
		return invalid("This import asks for no values of such a field.").
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
func (a *cellDecisions) apply(ctx context.Context, i int, said Cell, single bool) error {
	m := &a.cells[i]
	if said.given() != 1 {
		return invalid("Say one thing about the value %d: confirm, %s.", m.ID, whatToSay)
	}
	index := a.decl.FieldIndex(m.TargetField)
	if index < 0 || !a.decl.Fields[index].Mappable() {
		return invalid("This version knows no field of the value %d.", m.ID)
	}
	if err := a.say(ctx, m, &a.decl.Fields[index], said); err != nil {
		return err
	}
	m.Confirmed, m.Decided = true, single
	a.changed[i] = true
	return nil
}

// say makes a value of a field stand for what is said.
func (a *cellDecisions) say(ctx context.Context, m *job.MappedCell, f *entity.Field, said Cell) error {
	switch {
	case said.Ignore:
		m.StandsFor(job.Ignored, job.MappedCell{})
	case said.Empty && f.Required:
		return invalid("%s is required, so the value %d cannot be left empty.", f.Title, m.ID).
			With(f.Name, problem.MappingInvalid, "Say what it stands for, or ignore: its rows are left out.")
	case said.Empty:
		m.StandsFor(job.ManualMatched, job.MappedCell{Empty: true})
	case said.TargetEntityID != nil:
		return a.target(ctx, m, f, *said.TargetEntityID)
	case said.TargetValue != "":
		return a.word(ctx, m, f, said.TargetValue)
	case said.Create:
		return a.create(m, f)
	case !m.StandsForSomething():
		return invalid("The value %d was taken for nothing that could be confirmed.", m.ID)
	default:
		m.Status = job.ManualMatched
	}
	return nil
}

// target makes a value stand for an entity that there is. Where the text of the name is
// what is written, it is kept, so that all that read the file read the same.
func (a *cellDecisions) target(ctx context.Context, m *job.MappedCell, f *entity.Field, id int64) error {
	var name string
	var exists bool
	var err error
	if f.Lookup != nil {
		name, exists, err = a.targets.name(ctx, f, id)
	}
	if err != nil {
		return err
	}
	if !exists {
		return invalid("There is nothing with the id %d that the value %d could stand for.", id, m.ID).
			With(m.TargetField, problem.MappingInvalid, "One of its candidates.")
	}
	stands := job.MappedCell{EntityID: strconv.FormatInt(id, 10)}
	if f.Listed() {
		stands.TargetValue = name
	}
	m.StandsFor(job.ManualMatched, stands)
	return nil
}

// word makes a value stand for a word of its field, or for the entity that a file would
// call so.
func (a *cellDecisions) word(ctx context.Context, m *job.MappedCell, f *entity.Field, text string) error {
	if f.Lookup == nil {
		word, ok := f.Word(text)
		if !ok {
			return invalid("%s takes no such word, for which the value %d could stand.", f.Title, m.ID).
				With(f.Name, problem.MappingInvalid, problem.OneOf(f.Words()))
		}
		m.StandsFor(job.ManualMatched, job.MappedCell{TargetValue: word})
		return nil
	}
	id := a.targets.named(f, text)
	if id == 0 {
		return invalid("There is nothing of that name that the value %d could stand for.", m.ID).
			With(f.Name, problem.MappingInvalid, "One of its candidates.")
	}
	return a.target(ctx, m, f, id)
}

// create makes a value stand for an entity that is still to be made, where the
// type allows that.
func (a *cellDecisions) create(m *job.MappedCell, f *entity.Field) error {
	if f.Lookup == nil || !f.Lookup.CanCreateIn(m.Value, a.settings) {
		return invalid("Nothing can be created of the value %d.", m.ID).
			With(m.TargetField, problem.MappingInvalid, "Values of fields with canCreate, up to 200 characters.")
	}
	m.StandsFor(job.ManualMatched, job.MappedCell{Create: true})
	return nil
}
