package generate

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// tableModel is that of types which are one table with natural keys.
type tableModel struct {
	mode            job.WriteMode
	keys            []string
	defaults        map[string]string
	parents         map[string]map[string]bool // by field: the values that there are
	entities        []*modelEntity
	setupStatements []string
	check           func(things []*modelEntity) []checker.Table
	keyCounts       keyCounts
}

// modelEntity is a row of the table.
type modelEntity struct {
	values  map[string]string
	created bool // of this import
	// rows are those of the import that wrote it, by number.
	rows []int64
}

func (m *tableModel) setupSQL() []string      { return m.setupStatements }
func (m *tableModel) tables() []checker.Table { return m.check(m.entities) }

func (m *tableModel) existingValues(n int) map[string]string { return m.entities[n].values }
func (m *tableModel) countKeys(r row)                        { m.keyCounts.count(r, m.keys, m.keys) }

func (m *tableModel) find(key, value string) *modelEntity {
	for _, t := range m.entities {
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
		return erroredLine(missing...)
	}
	if m.mode == job.Upsert {
		return m.upsert(number, r)
	}
	for _, key := range m.keys {
		switch t := m.find(key, r.values[key]); {
		case t == nil:
		case t.created:
			return erroredLine(duplicate)
		default:
			return erroredLine(alreadyExists)
		}
	}
	m.add(number, r)
	return checker.Line{Outcome: job.Created, Codes: []string{}}
}

func (m *tableModel) beginRetry() {
	for _, t := range m.entities {
		t.created, t.rows = false, nil
	}
	m.keyCounts.mixedKeys = true
}

func (m *tableModel) add(number int64, r row) {
	t := &modelEntity{values: make(map[string]string), created: true, rows: []int64{number}}
	for field, v := range m.defaults {
		t.values[field] = v
	}
	m.entities = append(m.entities, t)
	t.assign(r)
}

func (t *modelEntity) assign(r row) {
	for field, v := range r.values {
		if v != "" {
			t.values[field] = v
		}
	}
}

// hasValues reports whether a row gives nothing that is not there.
func (t *modelEntity) hasValues(r row) bool {
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
		if m.keyCounts.isOnlyRow(r, m.keys) && t.hasValues(r) {
			return checker.Line{Outcome: job.Unchanged, Codes: []string{}}
		}
		t.assign(r)
		t.rows = append(t.rows, number)
		return checker.Line{Outcome: job.Updated}
	}
	return erroredLine(required)
}

// relax takes back what is not promised of rows whose chunks run side by side:
// which of several rows for a new thing is the one that created it.
func (m *tableModel) relax(lines []checker.Line) {
	for _, t := range m.entities {
		if t.created && len(t.rows) > 1 {
			for _, n := range t.rows {
				if lines[n-1].Outcome != job.Pending { // its chunk has said something of it
					lines[n-1].Outcome = checker.Unknown
				}
			}
		}
	}
}

// content is a table by fields, as texts joined by "|".
func content(name, sql string, things []*modelEntity, fields ...string) checker.Table {
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
	return Cell{Raw: pickOne(g, id, strings.ToUpper(id)), Value: id}
}

// idSQL shows the ids that files and models know; others are made by the database.
const idSQL = `CASE WHEN id::text LIKE '00000000-0000-4000-8%' THEN id::text ELSE '' END`
