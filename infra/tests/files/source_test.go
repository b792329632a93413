package files

import (
	"maps"
	"slices"
	"strings"
)

// source is somebody who sends files of one kind again and again.
type source struct {
	name       string
	importType string
	resource   string // the type in exports
	mode       string // "" for the type's own
	// types are the organisation's membership types, categories those of its event.
	types, categories []string
	// mapping is what a person says of the first file before any value is asked about, as
	// a mapping document.
	mapping string
	// values are what a person says of values that are unknown, where they are asked about.
	values []valueDecision
	// slip is what the console's tests have wrong in the first file; left out, an address.
	typo typo
	// key is the column by which rows of exports are told apart; other are those that
	// are not compared, since Loadbay makes them.
	key   string
	other []string
	// edition makes the first or the second file.
	edition func(n int) file
}

// valueDecision is a decision about the texts of a field.
type valueDecision struct {
	Field string `json:"field"`
	Value string `json:"value"`
	To    string `json:"to,omitempty"`   // a member, or a name of an entity
	Then  string `json:"then,omitempty"` // empty, skip or create
}

// file is one edition, with what its rows say.
type file struct {
	name    string
	content []byte
	rows    []row
}

// row is what a row of a file says, by column as exports call it: what is empty is left out.
type row map[string]string

// sources are all kinds.
func sources() []source {
	return []source{
		germanCRM(), frenchHR(), clubWorkbook(), raceEntries(), courierOrders(), shopOrders(), nestedAccounts(),
		unicodeEvents(), totalledOrders(), mixedDates(), dutchMembers(), spanishMembers(), polishMembers(), wideSurvey(),
	}
}

// expectedState is what must be in the database after files in that order: later rows about
// the same thing replace what they say of it.
func expectedState(key string, files ...file) []row {
	kept := map[string]row{}
	for _, f := range files {
		for _, r := range f.rows {
			if kept[r[key]] == nil {
				kept[r[key]] = row{}
			}
			maps.Copy(kept[r[key]], r)
		}
	}
	return sortRows(key, slices.Collect(maps.Values(kept)))
}

func sortRows(key string, rows []row) []row {
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a[key], b[key]) })
	return rows
}

// Of each source, the editions overlap: the last rows of the first come again.
const (
	secondEditionStart = 181
	firstEditionEnd    = 240
	secondEditionEnd   = 420
)

// personNumbers are the rows that an edition has.
func personNumbers(edition int) []int {
	from, to := 1, firstEditionEnd
	if edition == 2 {
		from, to = secondEditionStart, secondEditionEnd
	}
	var all []int
	for i := from; i <= to; i++ {
		all = append(all, i)
	}
	return all
}

// csv makes a file with that delimiter; cells make their rows of a number.
func delimitedFile(delimiter, lineEnd string, lines [][]string) []byte {
	var b strings.Builder
	for _, line := range lines {
		for i, cell := range line {
			if i > 0 {
				b.WriteString(delimiter)
			}
			if strings.ContainsAny(cell, delimiter+"\"\r\n") {
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			b.WriteString(cell)
		}
		b.WriteString(lineEnd)
	}
	return []byte(b.String())
}

// withoutEmpty returns a row without what is empty.
func withoutEmpty(r row) row {
	maps.DeleteFunc(r, func(_, text string) bool { return text == "" })
	return r
}
