package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
	"github.com/loadbay/loadbay/shared/testing/simulation/history"
)

// Initial and maximum number of entities of a table.
const initialEntities, maxEntities = 3, 5

// entityGenerator draws the content of files and edits.
type entityGenerator struct {
	*rand.Rand
	model  *history.Model
	nextID int
	// stableKeys means that keys never move to another entity: if rows of one file shared an entity,
	// the result would depend on the order of its parts.
	stableKeys bool
	tenant     tenant.ID
	// reuseValues means that several entities have the same values; otherwise all values differ.
	reuseValues bool
}

func newThings(r *rand.Rand, w *history.Model, organisation tenant.ID) *entityGenerator {
	return &entityGenerator{Rand: r, model: w, tenant: organisation, reuseValues: r.IntN(3) == 0}
}

// entityID returns the id of the n-th entity of a table.
func entityID(table string, n int) string {
	return fmt.Sprintf("00000000-0000-4000-8%03d-%012d", len(table), n)
}

// uniqueValueOf returns a value for a unique column of the n-th entity: mostly its current or
// original one.
func (t *entityGenerator) uniqueValueOf(table *history.Table, c *history.Column, n int) string {
	if !t.stableKeys && t.IntN(3) == 0 {
		return uniqueValue(c, t.IntN(maxEntities+3))
	}
	if e := t.model.Get(history.Key{Table: table.Name, ID: entityID(table.Name, n)}); e != nil {
		return e.Value(c.Name)
	}
	return uniqueValue(c, n)
}

func uniqueValue(c *history.Column, n int) string {
	if c.Name == "email" {
		return fmt.Sprintf("p%d@example.org", n)
	}
	return fmt.Sprintf("%s-%d", c.Name, n)
}

// drawValue draws a value for a column, as the database shows it.
func (t *entityGenerator) drawValue(table *history.Table, c *history.Column, n int) string {
	switch {
	case c.Name == "id":
		return entityID(table.Name, n)
	case c.Unique:
		return t.uniqueValueOf(table, c, n)
	case c.Parent != "":
		return entityID(c.Parent, t.IntN(maxEntities))
	case c.Name == "active":
		return []string{"t", "f"}[t.IntN(2)]
	case c.Name == "status":
		return []string{"draft", "published", "archived"}[t.IntN(3)]
	}
	return t.sharedText(c.Name + " %d")
}

// fileColumn is a column of a file, with the values that a row sets.
type fileColumn struct {
	header, column string
	displayed      map[string]string // text of a value in the file, if it differs
}

func texts(header []fileColumn, text func(fileColumn) string) []string {
	out := make([]string, len(header))
	for n, c := range header {
		out[n] = text(c)
	}
	return out
}

// drawTable draws the table of a file.
func (t *entityGenerator) drawTable() *history.Table {
	var some []*history.Table
	for _, table := range history.Tables() {
		if table.Type != "" {
			some = append(some, table)
		}
	}
	return some[t.IntN(len(some))]
}

// drawRows draws the columns and rows of a file.
func (t *entityGenerator) drawRows(table *history.Table) ([]fileColumn, []history.Row) {
	if table.Name == history.Memberships {
		return t.drawMembers()
	}
	var header []*history.Column
	var headings []fileColumn
	for i := range table.Columns {
		c := &table.Columns[i]
		if c.Header != "" && (c.Required || t.IntN(4) > 0) {
			header, headings = append(header, c), append(headings, fileColumn{header: c.Header, column: c.Name})
		}
	}
	once := t.Perm(maxEntities)
	repeats := t.IntN(2) == 0
	t.stableKeys = repeats
	defer func() { t.stableKeys = false }()
	var rows []history.Row
	for n := range 1 + t.IntN(5) {
		thing := once[n%len(once)]
		if repeats {
			thing = t.IntN(maxEntities)
		}
		r := history.Row{Number: int64(n + 2), Values: make(map[string]string)}
		for _, c := range header {
			if c.Required || t.IntN(4) > 0 {
				r.Values[c.Name] = t.drawValue(table, c, thing)
			}
		}
		if !repeats && t.IntN(8) == 0 {
			t.makeUnreadable(table, &r)
		}
		rows = append(rows, r)
	}
	markSharedKeys(header, rows)
	return headings, rows
}

// makeUnreadable makes a cell of a row invalid. The other keys of the row then match no entity.
func (t *entityGenerator) makeUnreadable(table *history.Table, r *history.Row) {
	r.Unreadable = true
	switch table.Name {
	case "users":
		r.Values["email"] = fmt.Sprintf("nobody-%d", r.Number)
	case "articles":
		r.Values["author_id"], r.Values["slug"] = "nobody", fmt.Sprintf("slug-nobody-%d", r.Number)
	}
}

// markSharedKeys marks the rows that share a key with another row.
func markSharedKeys(header []*history.Column, rows []history.Row) {
	count := make(map[string]int)
	for _, c := range header {
		for _, r := range rows {
			if c.Unique {
				count[c.Name+" "+r.Values[c.Name]]++
			}
		}
	}
	for i, r := range rows {
		rows[i].SharesKey = slices.ContainsFunc(header, func(c *history.Column) bool { return c.Unique && count[c.Name+" "+r.Values[c.Name]] > 1 })
	}
}

// membershipTypes are the membership types of the organisation.
var membershipTypes = [...]string{"Senior", "Junior"}

// membershipTypeID returns the id of the n-th membership type.
func (t *entityGenerator) membershipTypeID(n int) string {
	return fmt.Sprint(generate.EntityID(t.tenant, int64(n+1)))
}

// drawMembers draws a roster in which each person occurs once.
func (t *entityGenerator) drawMembers() ([]fileColumn, []history.Row) {
	types := make(map[string]string)
	for n, name := range membershipTypes {
		types[t.membershipTypeID(n)] = name
	}
	headings := []fileColumn{
		{header: "Email", column: "person email"}, {header: "First name", column: "person first_name"}, {header: "Last name", column: "person last_name"},
		{header: "Membership type", column: "type_id", displayed: types}, {header: "Phone", column: "person phone"}, {header: "Membership number", column: "membership_number"},
	}
	var rows []history.Row
	for n, person := range t.Perm(maxEntities)[:1+t.IntN(maxEntities)] {
		t.nextID++
		address := fmt.Sprintf("m%d@example.org", person)
		given := map[string]string{
			"person email": address, "person identity_key": "email:" + address, "person first_name": "Mo", "person last_name": fmt.Sprintf("Lee%c", 'a'+rune(person)),
			"type_id": t.membershipTypeID(0), "period_id": fmt.Sprint(generate.ContextID(t.tenant)),
		}
		if t.reuseValues {
			given["type_id"] = t.membershipTypeID(t.IntN(2))
		}
		if t.IntN(3) > 0 {
			given["person phone"] = t.sharedText("0115%06d")
		}
		if t.IntN(3) > 0 {
			given["membership_number"] = t.sharedText("M-%d")
		}
		rows = append(rows, history.Row{Number: int64(n + 2), Values: given})
	}
	return headings, rows
}

// sharedText returns a text with a number that other rows may use as well.
func (t *entityGenerator) sharedText(format string) string {
	t.nextID++
	if t.reuseValues {
		return fmt.Sprintf(format, t.IntN(3))
	}
	return fmt.Sprintf(format, t.nextID)
}

// insertSQL returns the statement that inserts the n-th entity of a table, and inserts it into
// the model.
func (l *workload) insertSQL(t *history.Table, n int) string {
	given := make(map[string]string)
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Required {
			given[c.Name] = l.entities.drawValue(t, c, n)
			if c.Unique && c.Name != "id" {
				given[c.Name] = uniqueValue(c, n)
			}
			if c.Parent != "" {
				given[c.Name] = entityID(c.Parent, 0)
			}
		}
	}
	l.model.Insert(t.Name, given)
	columns, values := []string{"organisation_id"}, []string{fmt.Sprint(l.organisation)}
	for _, c := range t.Columns {
		if v, ok := given[c.Name]; ok {
			columns, values = append(columns, c.Name), append(values, "'"+v+"'")
		}
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.Name, strings.Join(columns, ", "), strings.Join(values, ", "))
}

// editEntity edits an entity with SQL.
func (l *workload) editEntity(ctx context.Context) error {
	sql := l.drawEdit()
	if sql == "" {
		return nil
	}
	l.edited = true
	l.record("%s", sql)
	if _, err := l.admin.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return l.compare(ctx, nil)
}

func (l *workload) drawEdit() string {
	all := l.model.Entities()
	if len(all) == 0 || l.IntN(8) == 0 {
		return l.drawInsert()
	}
	e := all[l.IntN(len(all))]
	t := e.Table()
	if l.IntN(8) == 0 {
		if l.model.IsReferenced(e) {
			return ""
		}
		l.model.Delete(e)
		return fmt.Sprintf("DELETE FROM %s WHERE organisation_id = %d AND id = '%s'", t.Name, l.organisation, e.Key.ID)
	}
	c := &t.Columns[1+l.IntN(len(t.Columns)-1)]
	if c.Header == "" && !c.Edited {
		return ""
	}
	v := l.entities.drawValue(t, c, l.IntN(maxEntities))
	if !l.model.IsFree(e, c.Name, v) || c.Parent != "" && l.model.Get(history.Key{Table: c.Parent, ID: v}) == nil {
		return ""
	}
	l.model.Set(e, c.Name, v)
	return fmt.Sprintf("UPDATE %s SET %s = '%s' WHERE organisation_id = %d AND id = '%s'", t.Name, c.Name, v, l.organisation, e.Key.ID)
}

// drawInsert inserts a new entity, if none of its unique values is taken.
func (l *workload) drawInsert() string {
	t, n := l.entities.drawTable(), l.IntN(maxEntities)
	if t.Columns[0].Generated {
		return ""
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		taken := slices.ContainsFunc(l.model.Entities(), func(e *history.Entity) bool {
			return e.Key.Table == t.Name && (e.Key.ID == entityID(t.Name, n) || c.Unique && e.Value(c.Name) == uniqueValue(c, n))
		})
		if taken || c.Parent != "" && l.model.Get(history.Key{Table: c.Parent, ID: entityID(c.Parent, 0)}) == nil {
			return ""
		}
	}
	return l.insertSQL(t, n)
}
