package review

import (
	"strconv"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// Cell says one thing about a value of the file: that what it was taken for is
// right, which entity it stands for, that it is to have an entity of its own, or that
// its rows are to be left out. With
// TargetField instead of ID it is about all values of that field that stand for
// nothing yet.
type Cell struct {
	ID             int64  `json:"id"`
	TargetField    string `json:"targetField"`
	Confirm        bool   `json:"confirm"`
	TargetEntityID *int64 `json:"targetEntityId"`
	Create         bool   `json:"create"`
	Ignore         bool   `json:"ignore"`
}

// cellDecisions applies decisions to the mappings of values.
type cellDecisions struct {
	decl    *entity.Declaration
	cells   []job.MappedCell
	changed map[int]bool
	exists  func(field string, id int64) (bool, error)
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
func (a *cellDecisions) applyAll(said []Cell) error {
	places := make(map[int64]int, len(a.cells))
	for i := range a.cells {
		places[a.cells[i].ID] = i
	}
	for _, c := range said {
		if c.TargetField == "" {
			i, known := places[c.ID]
			if err := a.applyOne(c, i, known); err != nil {
				return err
			}
		}
	}
	for _, c := range said {
		if c.TargetField != "" {
			if err := a.applyRest(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *cellDecisions) applyOne(said Cell, i int, known bool) error {
	if !known {
		return invalid("The id %d is not that of a value of this import.", said.ID)
	}
	if a.changed[i] {
		return invalid("The value %d is there twice.", said.ID)
	}
	return a.apply(i, said, true)
}

func (a *cellDecisions) applyRest(said Cell) error {
	if said.ID != 0 || said.Confirm {
		return invalid("With targetField, give targetEntityId, create or ignore, and no id.")
	}
	known := false
	for i, c := range a.cells {
		if c.TargetField != said.TargetField {
			continue
		}
		known = true
		if c.Status == job.Unresolved && !a.changed[i] {
			// A default for whatever is left says nothing about any one of the values.
			if err := a.apply(i, said, false); err != nil {
				return err
			}
		}
	}
	if !known {
		return invalid("This import asks for no values of such a field.").
			With(entity.Shorten(said.TargetField), problem.MappingInvalid, "A field that the cell mappings name.")
	}
	return nil
}

// apply changes mapping i as is said, of this very value or of several at once.
func (a *cellDecisions) apply(i int, said Cell, single bool) error {
	m := &a.cells[i]
	given := 0
	for _, is := range []bool{said.Confirm, said.TargetEntityID != nil, said.Create, said.Ignore} {
		if is {
			given++
		}
	}
	var err error
	switch {
	case given != 1:
		err = invalid("Say one thing about the value %d: confirm, targetEntityId, create or ignore.", m.ID)
	case said.Ignore:
		m.EntityID, m.Create, m.Status = "", false, job.Ignored
	case said.TargetEntityID != nil:
		err = a.target(m, *said.TargetEntityID)
	case said.Create:
		err = a.create(m)
	case m.EntityID == "" && !m.Create:
		err = invalid("The value %d was taken for nothing that could be confirmed.", m.ID)
	default:
		m.Status = job.ManualMatched
	}
	m.Confirmed, m.Decided = true, single
	a.changed[i] = true
	return err
}

// target makes a value stand for an entity that there is.
func (a *cellDecisions) target(m *job.MappedCell, id int64) error {
	exists, err := a.exists(m.TargetField, id)
	if err != nil {
		return err
	}
	if !exists {
		return invalid("There is nothing with the id %d that the value %d could stand for.", id, m.ID).
			With(m.TargetField, problem.MappingInvalid, "One of its candidates.")
	}
	m.EntityID, m.Create, m.Status = strconv.FormatInt(id, 10), false, job.ManualMatched
	return nil
}

// create makes a value stand for an entity that is still to be made, where the
// type allows that.
func (a *cellDecisions) create(m *job.MappedCell) error {
	index := a.decl.FieldIndex(m.TargetField)
	if index < 0 || a.decl.Fields[index].Lookup == nil || !a.decl.Fields[index].Lookup.CanCreate(m.Value) {
		return invalid("Nothing can be created of the value %d.", m.ID).
			With(m.TargetField, problem.MappingInvalid, "Values of fields with canCreate, up to 200 characters.")
	}
	m.EntityID, m.Create, m.Status = "", true, job.ManualMatched
	return nil
}
