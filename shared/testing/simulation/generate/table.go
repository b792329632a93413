package generate

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// tableModel is that of types which are one table with natural keys.
type tableModel struct {
	mode     job.WriteMode
	keys     []string
	defaults map[string]string
	parents  map[string]map[string]bool // by field: the values that there are
	things   []*thing
	setup    []string
	check    func(things []*thing) []checker.Table
	names    names
}

// thing is a row of the table.
type thing struct {
	values map[string]string
	own    bool // of this import
	// rows are those of the import that wrote it, by number.
	rows []int64
}

func (m *tableModel) prepare() []string       { return m.setup }
func (m *tableModel) tables() []checker.Table { return m.check(m.things) }

func (m *tableModel) old(n int) map[string]string { return m.things[n].values }
func (m *tableModel) show(r row)                  { m.names.show(r, m.keys, m.keys) }

func (m *tableModel) find(key, value string) *thing {
	for _, t := range m.things {
		if t.values[key] == value && value != "" {
			return t
		}
	}
	return nil
}

func (m *tableModel) apply(number int64, r row) checker.Line {
	var missing []string
	for field, known := range m.parents {
		if v := r.values[field]; v != "" && !known[v] {
			missing = append(missing, noParent)
		}
	}
	if missing != nil {
		return failed(missing...)
	}
	if m.mode == job.Upsert {
		return m.upsert(number, r)
	}
	for _, key := range m.keys {
		switch t := m.find(key, r.values[key]); {
		case t == nil:
		case t.own:
			return failed(duplicate)
		default:
			return failed(exists)
		}
	}
	m.add(number, r)
	return checker.Line{Outcome: job.Created, Codes: []string{}}
}

func (m *tableModel) again() {
	for _, t := range m.things {
		t.own, t.rows = false, nil
	}
	m.names.unknown = true
}

func (m *tableModel) add(number int64, r row) {
	t := &thing{values: make(map[string]string), own: true, rows: []int64{number}}
	for field, v := range m.defaults {
		t.values[field] = v
	}
	m.things = append(m.things, t)
	t.take(r)
}

func (t *thing) take(r row) {
	for field, v := range r.values {
		if v != "" {
			t.values[field] = v
		}
	}
}

// has reports whether a row gives nothing that is not there.
func (t *thing) has(r row) bool {
	for field, v := range r.values {
		if v != "" && t.values[field] != v {
			return false
		}
	}
	return true
}

// upsert applies a row to what its first given key names. A row may have been
// followed by another one for the same thing, which is a warning.
func (m *tableModel) upsert(number int64, r row) checker.Line {
	for _, key := range m.keys {
		if r.values[key] == "" {
			continue
		}
		t := m.find(key, r.values[key])
		if t == nil {
			m.add(number, r)
			return checker.Line{Outcome: job.Created}
		}
		if m.names.alone(r, m.keys) && t.has(r) {
			return checker.Line{Outcome: job.Unchanged, Codes: []string{}}
		}
		t.take(r)
		t.rows = append(t.rows, number)
		return checker.Line{Outcome: job.Updated}
	}
	return failed(required)
}

// loosen takes back what is not promised of rows whose chunks run side by side:
// which of several rows for a new thing is the one that created it.
func (m *tableModel) loosen(lines []checker.Line) {
	for _, t := range m.things {
		if t.own && len(t.rows) > 1 {
			for _, n := range t.rows {
				if lines[n-1].Outcome != job.Pending { // its chunk has said something of it
					lines[n-1].Outcome = checker.Unknown
				}
			}
		}
	}
}

// content is a table by fields, as texts joined by "|".
func content(name, sql string, things []*thing, fields ...string) checker.Table {
	t := checker.Table{Name: name, SQL: sql, Want: []string{}}
	for _, thing := range things {
		values := make([]string, len(fields))
		for i, field := range fields {
			values[i] = thing.values[field]
		}
		t.Want = append(t.Want, strings.Join(values, "|"))
	}
	return t
}

// uuidOf is the id of the n-th thing of a kind.
func uuidOf(kind, n int) string { return fmt.Sprintf("00000000-0000-4000-8%03d-%012d", kind, n) }

func uuidCell(g *generator, kind, n int) Cell {
	id := uuidOf(kind, n)
	if g.chance(4) {
		return Cell{Raw: id[:20], Code: "CELL_UUID"}
	}
	return Cell{Raw: one(g, id, strings.ToUpper(id)), Value: id}
}

// idSQL shows the ids that files and models know; others are made by the database.
const idSQL = `CASE WHEN id::text LIKE '00000000-0000-4000-8%' THEN id::text ELSE '' END`
