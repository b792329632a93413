package sequence

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// files models users with faulty files.
type files struct {
	drawer
	users map[string]account // by address
}

type account struct{ name, role string }

func newFiles(d drawer) *files { return &files{d, make(map[string]account)} }

// SetupSQL returns nothing: there are no users.
func (*files) SetupSQL() []string { return nil }

// Save returns a copy of the users.
func (m *files) Save() any { return maps.Clone(m.users) }

// Restore returns to saved users.
func (m *files) Restore(state any) { m.users = state.(map[string]account) }

// Tables returns the users.
func (m *files) Tables() []checker.Table {
	want := []string{}
	for email, u := range m.users {
		want = append(want, email+"|"+u.name+"|"+u.role)
	}
	return []checker.Table{{Name: "users", Want: want, SQL: `SELECT email || '|' || name || '|' || role FROM users WHERE organisation_id = $1`}}
}

// userRow is a row of a file.
type userRow struct {
	email string
	account

	more []string // cells of the other columns
	code string   // its error
	text string   // the line, if it is not written from the cells
}

// table is a file of users.
type table struct {
	drawer
	header []string // the first three are Email, Name and Role
	rows   []userRow
	expect *Expectation
}

// Next draws a file.
func (m *files) Next() (*File, *Expectation) {
	t := &table{drawer: m.drawer, header: []string{"Email", "Name", "Role"}, expect: &Expectation{Checked: []string{"COLUMN_UNUSED", "COLUMN_AMBIGUOUS", "SHEET_UNUSED", "SHEET_CHOSEN", "ROWS_WIDER"}}}
	for _, n := range m.Perm(20)[:3+m.IntN(9)] {
		r := userRow{email: fmt.Sprintf("u%d@x.org", n), account: account{fmt.Sprintf("Name %d", m.IntN(3)), pick(m.drawer, "admin", "editor")}}
		if old, ok := m.users[r.email]; ok && m.chance(40) {
			r.account = old
		}
		t.rows = append(t.rows, r)
	}
	f := &File{Type: "USER", Filename: "users.csv", Insert: m.chance(30), Options: `{"delimiter":",","quote":"\"","headerRow":1}`}
	workbook := m.chance(25)
	t.addColumns(f, workbook)
	switch {
	case workbook:
		t.writeWorkbook(f)
	case m.chance(50):
		t.addStrayQuotes()
		f.Content = t.csv(0)
	default:
		f.Content = t.csv(t.addCells())
	}
	t.expectColumns(f)
	m.apply(t, f)
	return f, t.expect
}

// addColumns adds columns that no field uses, or a second one for a field.
func (t *table) addColumns(f *File, workbook bool) {
	f.Strict = t.chance(20)
	for i := range t.IntN(3) {
		for n := range t.rows {
			t.rows[n].more = append(t.rows[n].more, pick(t.drawer, "", "", "", "junk", "17"))
		}
		t.header = append(t.header, fmt.Sprintf("Zqx%d", i))
	}
	if !workbook && t.chance(12) {
		for n := range t.rows {
			t.rows[n].more = append(t.rows[n].more, pick(t.drawer, "admin", "viewer"))
		}
		t.header = append(t.header, "Role")
	}
}

// expectColumns expects what follows from unused and doubled columns: a warning with the number of
// values in rows that can be read, or a failure.
func (t *table) expectColumns(f *File) {
	var failures []string
	for i, name := range t.header[3:] {
		values := 0
		for _, r := range t.rows {
			if r.code == "" && r.more[i] != "" {
				values++
			}
		}
		switch {
		case values == 0:
		case name == "Role":
			failures = append(failures, "COLUMN_AMBIGUOUS")
		case f.Strict:
			failures = append(failures, "COLUMN_UNUSED")
		default:
			t.warn(fmt.Sprintf("COLUMN_UNUSED: column %q with %d value", name, values))
		}
	}
	if len(failures) > 0 {
		t.fail(strings.TrimPrefix(t.expect.Failure+" or "+strings.Join(failures, " or "), " or "))
	}
}

// fail makes the file one that fails and writes nothing.
func (t *table) fail(code string) {
	t.expect.Failure, t.expect.Checked, t.expect.Warnings = code, nil, nil
}

// addStrayQuotes adds texts with line ends, delimiters and quotes, and then stray quotes: closed in
// the line, or closed nowhere.
func (t *table) addStrayQuotes() {
	for n := range t.rows {
		r := &t.rows[n]
		if t.chance(25) {
			r.name = pick(t.drawer, "Bath, UK", "two\nlines", "two\nlines, UK", `say "hi"`, "one\n\nthree")
		}
		r.text = t.line(r)
	}
	if t.chance(30) {
		return
	}
	open, before := -1, false // the last row whose quote is closed nowhere, and whether another stray quote precedes it
	for n := range t.rows {
		r := &t.rows[n]
		if !t.chance(25) {
			continue
		}
		stray := pick(t.drawer, `"5 inch pipe`, `"6" pipe`)
		r.code = "ROW_QUOTE"
		before = before || open >= 0
		if stray == `"6" pipe` {
			before = true
		} else {
			open = n
		}
		cells := append([]string{r.email, stray, r.role}, r.more...)
		if t.chance(30) {
			cells[0], cells[1] = stray, "Name"
		}
		r.text = strings.Join(cells, ",")
	}
	if open < 0 {
		return
	}
	quotesAfter := slices.ContainsFunc(t.rows[open+1:], func(r userRow) bool { return strings.Contains(r.text, `"`) })
	if !before && !quotesAfter {
		t.fail("FILE_CORRUPT") // the file may be truncated
	}
}

// addCells makes rows wider or narrower, and returns how many empty cells all rows have in addition.
func (t *table) addCells() (all int) {
	if t.chance(25) {
		all = 1 + t.IntN(2)
		t.warn(fmt.Sprintf("ROWS_WIDER: every row ends with %d empty cell", all))
		return all
	}
	for n := range t.rows {
		if n == 0 || !t.chance(12) {
			continue
		}
		r := &t.rows[n]
		r.code = "ROW_WIDTH"
		cells := append([]string{r.email, r.name, r.role}, r.more...)
		switch t.IntN(3) {
		case 0:
			cells = append(cells, "")
		case 1: // as an amount with a decimal comma, which moves the cells behind it
			cells = slices.Insert(cells, 1, "1250")
		case 2:
			cells = cells[:len(cells)-1]
		}
		r.text = t.joined(cells)
	}
	return 0
}

func (t *table) warn(text string) {
	if t.expect.Failure == "" {
		t.expect.Warnings = append(t.expect.Warnings, text)
	}
}

// line returns a row of a CSV file.
func (t *table) line(r *userRow) string {
	if r.text != "" {
		return r.text
	}
	return t.joined(append([]string{r.email, r.name, r.role}, r.more...))
}

// joined returns cells as a line, with quotes where they are needed and sometimes where they are not.
func (t *table) joined(cells []string) string {
	for i, c := range cells {
		if strings.ContainsAny(c, ",\"\n") || c != "" && t.chance(10) { // "" would be a quote within an open one
			cells[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
	}
	return strings.Join(cells, ",")
}

// csv returns the file, whose rows have additional empty cells.
func (t *table) csv(additional int) []byte {
	end := pick(t.drawer, "\n", "\r\n")
	var b strings.Builder
	b.WriteString(strings.Join(t.header, ",") + end)
	for n := range t.rows {
		b.WriteString(t.line(&t.rows[n]) + strings.Repeat(",", additional) + end)
	}
	return []byte(b.String())
}

// writeWorkbook writes the rows into a sheet of a workbook, among other sheets.
func (t *table) writeWorkbook(f *File) {
	book := excelize.NewFile()
	defer book.Close()
	var rows [][]string
	for _, r := range t.rows {
		rows = append(rows, append([]string{r.email, r.name, r.role}, r.more...))
	}
	stated := t.chance(25)
	f.Filename, f.Options = "users.xlsx", `{}`
	if stated {
		f.Options = `{"sheetName":"Users"}`
	}
	var names []string
	add := func(name string, header []string, rows [][]string) {
		if names = append(names, name); len(names) == 1 {
			must(book.SetSheetName("Sheet1", name))
		} else {
			_, err := book.NewSheet(name)
			must(err)
		}
		for i, row := range append([][]string{header}, rows...) {
			for place, cell := range row {
				at, err := excelize.CoordinatesToCellName(place+1, i+1)
				must(err)
				if cell != "" {
					must(book.SetCellStr(name, at, cell))
				}
			}
		}
	}
	if t.chance(30) {
		add("Cover", []string{"Users of the club"}, [][]string{{"Author", "Ada"}, {"Date", "today"}})
		if !stated {
			t.warn(`SHEET_CHOSEN: the sheet "Users" was read, because the first sheet "Cover"`)
		} else {
			t.expect.Checked = []string{"COLUMN_UNUSED"} // whether a cover is a sheet with rows is not specified
		}
	}
	add("Users", t.header, rows)
	for i := range t.IntN(3) {
		name, count := fmt.Sprintf("More %d", i), t.IntN(4)
		var more [][]string
		for n := range count {
			more = append(more, []string{fmt.Sprintf("m%d@x.org", n), "Other", "admin"})
		}
		add(name, []string{"Email", "Name", "Role"}, more)
		switch hidden := t.chance(20); {
		case hidden:
			must(book.SetSheetVisible(name, false))
		case stated:
		case count > 0:
			t.warn(fmt.Sprintf("SHEET_UNUSED: the sheet %q with %d row", name, count))
		}
	}
	var b bytes.Buffer
	must(book.Write(&b))
	f.Content = b.Bytes()
}

// must is for operations in memory, which do not fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// apply applies the file to the users.
func (m *files) apply(t *table, f *File) {
	t.expect.Lines = []checker.Line{headerLine()}
	if t.expect.Failure != "" {
		return
	}
	for _, r := range t.rows {
		line := checker.Line{Outcome: rowwrite.Created, Codes: []string{}}
		old, known := m.users[r.email]
		switch {
		case r.code != "":
			line = errored(r.code)
		case known && f.Insert:
			line = errored("ALREADY_EXISTS")
		case known && old == r.account:
			line.Outcome = rowwrite.Unchanged
		case known:
			line.Outcome = rowwrite.Updated
		}
		if line.Outcome != rowwrite.Errored {
			m.users[r.email] = r.account
		}
		t.expect.Lines = append(t.expect.Lines, line)
	}
}
