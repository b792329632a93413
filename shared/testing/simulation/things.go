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

// How many entities of a table there are at the beginning, and how many there can be.
const startingThings, allThings = 3, 5

// things draws what files and edits say.
type things struct {
	*rand.Rand
	world *history.World
	drawn int
	// steady says that no key changes hands: where rows of one file are about the same
	// entity, what becomes of them would depend on the order of its parts.
	steady bool
	tenant tenant.ID
	// few says that values meet: otherwise each is another one.
	few bool
}

func newThings(r *rand.Rand, w *history.World, organisation tenant.ID) *things {
	return &things{Rand: r, world: w, tenant: organisation, few: r.IntN(3) == 0}
}

// thingID is that of the n-th entity of a table.
func thingID(table string, n int) string {
	return fmt.Sprintf("00000000-0000-4000-8%03d-%012d", len(table), n)
}

// unique is a value of the n-th entity's that may be there once: mostly the one that it
// has, or had from the start.
func (t *things) unique(table *history.Table, c *history.Column, n int) string {
	if !t.steady && t.IntN(3) == 0 {
		return uniqueValue(c, t.IntN(allThings+3))
	}
	if e := t.world.Get(history.Key{Table: table.Name, ID: thingID(table.Name, n)}); e != nil {
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

// value draws one for a column, as the database shows it.
func (t *things) value(table *history.Table, c *history.Column, n int) string {
	switch {
	case c.Name == "id":
		return thingID(table.Name, n)
	case c.Unique:
		return t.unique(table, c, n)
	case c.Parent != "":
		return thingID(c.Parent, t.IntN(allThings))
	case c.Name == "active":
		return []string{"t", "f"}[t.IntN(2)]
	case c.Name == "status":
		return []string{"draft", "published", "archived"}[t.IntN(3)]
	}
	return t.sometimes(c.Name + " %d")
}

// heading is a column of a file, and what a row gives of it.
type heading struct {
	header, column string
	shown          map[string]string // what stands for a value in the file, where that is another text
}

func texts(header []heading, text func(heading) string) []string {
	out := make([]string, len(header))
	for n, c := range header {
		out[n] = text(c)
	}
	return out
}

// imported draws which table a file is about.
func (t *things) imported() *history.Table {
	var some []*history.Table
	for _, table := range history.Tables() {
		if table.Type != "" {
			some = append(some, table)
		}
	}
	return some[t.IntN(len(some))]
}

// rows draws the columns and rows of a file.
func (t *things) rows(table *history.Table) ([]heading, []history.Row) {
	if table.Name == history.Memberships {
		return t.members()
	}
	var header []*history.Column
	var headings []heading
	for i := range table.Columns {
		c := &table.Columns[i]
		if c.Header != "" && (c.Required || t.IntN(4) > 0) {
			header, headings = append(header, c), append(headings, heading{header: c.Header, column: c.Name})
		}
	}
	once := t.Perm(allThings)
	repeats := t.IntN(2) == 0
	t.steady = repeats
	defer func() { t.steady = false }()
	var rows []history.Row
	for n := range 1 + t.IntN(5) {
		thing := once[n%len(once)]
		if repeats {
			thing = t.IntN(allThings)
		}
		r := history.Row{Number: int64(n + 2), Given: make(map[string]string)}
		for _, c := range header {
			if c.Required || t.IntN(4) > 0 {
				r.Given[c.Name] = t.value(table, c, thing)
			}
		}
		if !repeats && t.IntN(8) == 0 {
			t.misspell(table, &r)
		}
		rows = append(rows, r)
	}
	sayRepeats(header, rows)
	return headings, rows
}

// misspell has a cell of a row be what nobody can read. Whatever else the row could be
// known by is nobody's.
func (t *things) misspell(table *history.Table, r *history.Row) {
	r.Unread = true
	switch table.Name {
	case "users":
		r.Given["email"] = fmt.Sprintf("nobody-%d", r.Number)
	case "articles":
		r.Given["author_id"], r.Given["slug"] = "nobody", fmt.Sprintf("slug-nobody-%d", r.Number)
	}
}

// sayRepeats marks the rows that have a key which another one has.
func sayRepeats(header []*history.Column, rows []history.Row) {
	count := make(map[string]int)
	for _, c := range header {
		for _, r := range rows {
			if c.Unique {
				count[c.Name+" "+r.Given[c.Name]]++
			}
		}
	}
	for i, r := range rows {
		rows[i].Repeats = slices.ContainsFunc(header, func(c *history.Column) bool { return c.Unique && count[c.Name+" "+r.Given[c.Name]] > 1 })
	}
}

// membershipTypes are those that the organisation has.
var membershipTypes = [...]string{"Senior", "Junior"}

// typeID is the id of the n-th of them.
func (t *things) typeID(n int) string { return fmt.Sprint(generate.Number(t.tenant, int64(n+1))) }

// members draws a roster, in which each person is once.
func (t *things) members() ([]heading, []history.Row) {
	types := make(map[string]string)
	for n, name := range membershipTypes {
		types[t.typeID(n)] = name
	}
	headings := []heading{
		{header: "Email", column: "person email"}, {header: "First name", column: "person first_name"}, {header: "Last name", column: "person last_name"},
		{header: "Membership type", column: "type_id", shown: types}, {header: "Phone", column: "person phone"}, {header: "Membership number", column: "membership_number"},
	}
	var rows []history.Row
	for n, person := range t.Perm(allThings)[:1+t.IntN(allThings)] {
		t.drawn++
		address := fmt.Sprintf("m%d@example.org", person)
		given := map[string]string{
			"person email": address, "person identity_key": "email:" + address, "person first_name": "Mo", "person last_name": fmt.Sprintf("Lee%c", 'a'+rune(person)),
			"type_id": t.typeID(0), "period_id": fmt.Sprint(generate.Context(t.tenant)),
		}
		if t.few {
			given["type_id"] = t.typeID(t.IntN(2))
		}
		if t.IntN(3) > 0 {
			given["person phone"] = t.sometimes("0115%06d")
		}
		if t.IntN(3) > 0 {
			given["membership_number"] = t.sometimes("M-%d")
		}
		rows = append(rows, history.Row{Number: int64(n + 2), Given: given})
	}
	return headings, rows
}

// sometimes is a text with a number that others may have as well.
func (t *things) sometimes(format string) string {
	t.drawn++
	if t.few {
		return fmt.Sprintf(format, t.IntN(3))
	}
	return fmt.Sprintf(format, t.drawn)
}

// insert returns the statement that makes the n-th entity of a table, and makes it in the model.
func (l *life) insert(t *history.Table, n int) string {
	given := make(map[string]string)
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Required {
			given[c.Name] = l.things.value(t, c, n)
			if c.Unique && c.Name != "id" {
				given[c.Name] = uniqueValue(c, n)
			}
			if c.Parent != "" {
				given[c.Name] = thingID(c.Parent, 0)
			}
		}
	}
	l.world.Insert(t.Name, given)
	columns, values := []string{"organisation_id"}, []string{fmt.Sprint(l.organisation)}
	for _, c := range t.Columns {
		if v, ok := given[c.Name]; ok {
			columns, values = append(columns, c.Name), append(values, "'"+v+"'")
		}
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.Name, strings.Join(columns, ", "), strings.Join(values, ", "))
}

// edit is an edit by SQL.
func (l *life) edit(ctx context.Context) error {
	sql := l.drawEdit()
	if sql == "" {
		return nil
	}
	l.edited = true
	l.act("%s", sql)
	if _, err := l.admin.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return l.compare(ctx, nil)
}

func (l *life) drawEdit() string {
	all := l.world.Entities()
	if len(all) == 0 || l.IntN(8) == 0 {
		return l.drawInsert()
	}
	e := all[l.IntN(len(all))]
	t := e.Table()
	if l.IntN(8) == 0 {
		if l.world.Referenced(e) {
			return ""
		}
		l.world.Delete(e)
		return fmt.Sprintf("DELETE FROM %s WHERE organisation_id = %d AND id = '%s'", t.Name, l.organisation, e.Key.ID)
	}
	c := &t.Columns[1+l.IntN(len(t.Columns)-1)]
	if c.Header == "" && !c.Edited {
		return ""
	}
	v := l.things.value(t, c, l.IntN(allThings))
	if !l.world.Free(e, c.Name, v) || c.Parent != "" && l.world.Get(history.Key{Table: c.Parent, ID: v}) == nil {
		return ""
	}
	l.world.Set(e, c.Name, v)
	return fmt.Sprintf("UPDATE %s SET %s = '%s' WHERE organisation_id = %d AND id = '%s'", t.Name, c.Name, v, l.organisation, e.Key.ID)
}

// drawInsert makes an entity that is not there, if nothing of it is taken.
func (l *life) drawInsert() string {
	t, n := l.things.imported(), l.IntN(allThings)
	if t.Columns[0].Drawn {
		return ""
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		taken := slices.ContainsFunc(l.world.Entities(), func(e *history.Entity) bool {
			return e.Key.Table == t.Name && (e.Key.ID == thingID(t.Name, n) || c.Unique && e.Value(c.Name) == uniqueValue(c, n))
		})
		if taken || c.Parent != "" && l.world.Get(history.Key{Table: c.Parent, ID: thingID(c.Parent, 0)}) == nil {
			return ""
		}
	}
	return l.insert(t, n)
}
