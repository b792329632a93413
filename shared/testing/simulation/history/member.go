package history

import (
	"fmt"
	"strings"
)

// Persons and memberships are written by one import type, a row of which is about one of
// each. Persons are known by their address; each is a member once.
const (
	Persons     = "persons"
	Memberships = "memberships"
)

// memberTables are the tables of members. Their ids are given by the database.
func memberTables() []*Table {
	return []*Table{
		{Name: Persons, Columns: []Column{
			{Name: "id", Generated: true},
			{Name: "identity_key", Natural: true},
			{Name: "first_name"},
			{Name: "last_name"},
			{Name: "email", Default: Null},
			{Name: "identity_number", Default: Null},
			{Name: "birth_date", Default: Null},
			{Name: "gender", Default: Null},
			{Name: "phone", Default: Null, Edited: true},
			{Name: "country_id", Default: Null},
		}},
		{Name: Memberships, Type: "MEMBERSHIP", Columns: []Column{
			{Name: "id", Generated: true},
			{Name: "person_id", Parent: Persons, Natural: true},
			{Name: "period_id"},
			{Name: "type_id"},
			{Name: "membership_number", Default: Null, Edited: true},
			{Name: "joined_on", Default: Null},
		}},
	}
}

// Member is what a row says of a person and of the membership; "" is an empty cell.
func (w *Model) writeMember(j *Job, r Row) Outcome {
	person := make(map[string]string)
	membership := make(map[string]string)
	for name, v := range r.Values {
		if column, ok := strings.CutPrefix(name, "person "); ok {
			person[column] = v
		} else {
			membership[name] = v
		}
	}
	p, m := w.findMember(person["identity_key"])
	if m != nil && !j.Upsert {
		return Skipped
	}
	changed := false
	switch {
	case p == nil:
		p = w.addGenerated(j, w.tables[Persons], person)
	case j.Upsert:
		changed = p.assign(j, person)
	}
	if m == nil {
		j.noteWritten(p, nil)
		membership["person_id"] = p.Key.ID
		w.addGenerated(j, w.tables[Memberships], membership).writer = j
		return Created
	}
	changed = m.assign(j, membership) || changed
	if changed || r.SharesKey {
		j.noteWritten(p, m)
	}
	if changed {
		return Updated
	}
	return Unchanged
}

// noteWritten says that a row of an upsert has written a person and a membership, as far as
// there are such: it writes to both, though it may give nothing to one of them.
func (j *Job) noteWritten(person, membership *Entity) {
	for _, e := range []*Entity{person, membership} {
		if e != nil && j.Upsert {
			j.effectOn(e).written = true
		}
	}
}

// findMember are the person with that key, and the membership; nil where there is none.
func (w *Model) findMember(identityKey string) (person, membership *Entity) {
	if person = w.holder(w.tables[Persons], "identity_key", identityKey); person != nil {
		membership = w.holder(w.tables[Memberships], "person_id", person.Key.ID)
	}
	return person, membership
}

// assign gives an entity the values that are not empty.
func (e *Entity) assign(j *Job, given map[string]string) (changed bool) {
	e.writer = j
	for column, v := range given {
		if v != "" && e.Value(column) != v {
			e.addLayer(j, column, v)
			changed = true
		}
	}
	return changed
}

// addGenerated makes an entity of which the id is not known yet.
func (w *Model) addGenerated(j *Job, t *Table, given map[string]string) *Entity {
	w.generatedIDs++
	given["id"] = fmt.Sprintf("?%d", w.generatedIDs)
	return w.add(j, t, given)
}

// resolveIDs finds the entities of which the id was not known.
func (w *Model) resolveIDs(seen Snapshot) {
	for _, e := range w.Entities() {
		if !isPlaceholder(e.Key.ID) {
			continue
		}
		for i := range e.table.Columns {
			c := &e.table.Columns[i]
			if !c.Natural {
				continue
			}
			for key, row := range seen {
				if key.Table == e.Key.Table && w.entities[key] == nil && row[c.Name] == e.Value(c.Name) {
					w.renameID(e, key)
					break
				}
			}
		}
	}
}

// renameID says which id an entity has, wherever it stands.
func (w *Model) renameID(e *Entity, key Key) {
	old := e.Key
	delete(w.entities, old)
	e.Key = key
	w.entities[key] = e
	for _, other := range w.entities {
		for i := range other.table.Columns {
			c := &other.table.Columns[i]
			if other != e && c.Parent != old.Table || other == e && i > 0 {
				continue
			}
			for _, l := range other.fields[c.Name] {
				if l.value == old.ID {
					l.value = key.ID
					l.job.setLeftWith(other, c.Name, key.ID)
				}
			}
		}
	}
}

// setLeftWith says what a column really holds of an entity that the job's transaction made.
func (j *Job) setLeftWith(e *Entity, column, id string) {
	if f := j.currentEffect(e); f != nil && f.created {
		f.leftWith[column] = id
	}
}
