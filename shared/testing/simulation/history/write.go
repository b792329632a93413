package history

// Row is a row of a file: its number and values; "" is an empty cell. Columns that the file does
// not have are absent.
type Row struct {
	Number int64
	Values map[string]string
	// SharesKey means that another row of the file has one of its keys, or that the row is retried: it
	// is written even if it changes nothing.
	SharesKey bool
	// Unreadable means that a cell is invalid, so that the row is not written.
	Unreadable bool
}

// Outcome is the expected outcome of a row.
type Outcome uint8

// The outcomes of rows written by an import.
const (
	Created Outcome = iota + 1
	Updated
	Unchanged // no value differs from the existing one
	Skipped
	Rejected
)

// String returns the outcome in short form.
func (o Outcome) String() string {
	return [...]string{"", "created", "updated", "unchanged", "skipped", "refused"}[o]
}

// Write applies rows of a part of a job's file, in the transaction that writes them.
func (w *Model) Write(j *Job, t *Table, rows []Row) []Outcome {
	w.beginTransaction(j)
	outcomes := make([]Outcome, len(rows))
	for i, r := range rows {
		outcomes[i] = w.writeRow(j, t, r)
	}
	return outcomes
}

func (w *Model) writeRow(j *Job, t *Table, r Row) Outcome {
	if r.Unreadable {
		return Rejected
	}
	if t.Name == Memberships {
		return w.writeMember(j, r)
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Parent != "" && r.Values[c.Name] != "" && w.Get(Key{c.Parent, r.Values[c.Name]}) == nil {
			return Rejected
		}
	}
	if j.Upsert {
		return w.upsert(j, t, r)
	}
	return w.insert(j, t, r)
}

// upsert writes to the entity with the row's id, unless another entity has one of its unique
// values.
func (w *Model) upsert(j *Job, t *Table, r Row) Outcome {
	e := w.Get(Key{t.Name, r.Values["id"]})
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Unique && r.Values[c.Name] != "" {
			if h := w.holder(t, c.Name, r.Values[c.Name]); h != nil && h != e {
				return Rejected
			}
		}
	}
	if e == nil {
		e = w.add(j, t, r.Values)
		e.noteWriter(j, r)
		return Created
	}
	if !r.SharesKey && e.hasValues(r.Values) {
		return Unchanged // without a trace in the database
	}
	if e.writer != j {
		e.writer, e.sourceRows = j, make(map[string]int64)
	}
	j.effectOn(e).written = true
	outcome := Unchanged
	for i := range t.Columns {
		c := t.Columns[i].Name
		v := r.Values[c]
		if v == "" || e.sourceRows[c] > r.Number {
			continue // within a file the later row wins, in any order of writing
		}
		e.sourceRows[c] = r.Number
		if e.Value(c) != v {
			e.addLayer(j, c, v)
			outcome = Updated
		}
	}
	return outcome
}

// hasValues reports whether the entity has all given values.
func (e *Entity) hasValues(given map[string]string) bool {
	for column, v := range given {
		if v != "" && e.Value(column) != v {
			return false
		}
	}
	return true
}

// insert inserts an entity, unless it exists. A later row of the same file that was written before
// is displaced.
func (w *Model) insert(j *Job, t *Table, r Row) Outcome {
	var later []*Entity
	for i := range t.Columns {
		c := &t.Columns[i]
		if !c.Unique {
			continue
		}
		h := w.holder(t, c.Name, r.Values[c.Name])
		switch {
		case h == nil:
		case h.writer == j && h.sourceRows["id"] > r.Number && !w.IsReferenced(h):
			later = append(later, h)
		default:
			return Rejected
		}
	}
	for _, h := range later {
		j.displace(h)
	}
	w.add(j, t, r.Values).noteWriter(j, r)
	return Created
}

// displace removes an entity that an earlier transaction of the job has created. Undoing this
// effect restores it, until that earlier transaction is undone as well.
func (j *Job) displace(e *Entity) {
	j.effectOn(e).removed = true
	j.Displaced = append(j.Displaced, e.sourceRows["id"])
	e.exists = false
}

func (e *Entity) noteWriter(j *Job, r Row) {
	e.writer = j
	for c, v := range r.Values {
		if v != "" {
			e.sourceRows[c] = r.Number
		}
	}
}
