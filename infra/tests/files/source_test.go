package files

import (
	"maps"
	"slices"
	"strings"
)

// source is a sender that repeatedly sends files of one kind.
type source struct {
	name       string
	importType string
	resource   string // type name in exports
	mode       string // "" for the type's default
	// types are the organisation's membership types, categories those of its event.
	types, categories []string
	// mapping is the mapping document that a person submits for the first file before any
	// question about values.
	mapping string
	// values are a person's decisions about unresolved values, if the import asks about them.
	values []valueDecision
	// typo is the error in the first file for the console's tests; by default, one in an e-mail
	// address.
	typo typo
	// key is the column that identifies rows of exports; other are columns that are not
	// compared, because Loadbay generates them.
	key   string
	other []string
	// edition returns the first or the second file.
	edition func(n int) file
}

// valueDecision is a decision about the texts of a field.
type valueDecision struct {
	Field string `json:"field"`
	Value string `json:"value"`
	To    string `json:"to,omitempty"`   // a member, or the name of an entity
	Then  string `json:"then,omitempty"` // empty, skip or create
}

// file is one edition, with its expected rows.
type file struct {
	name    string
	content []byte
	rows    []row
}

// row contains the values of a row by their column names in exports; empty values are omitted.
type row map[string]string

// sources returns all sources.
func sources() []source {
	return []source{
		germanCRM(), frenchHR(), clubWorkbook(), raceEntries(), courierOrders(), shopOrders(), nestedAccounts(),
		unicodeEvents(), totalledOrders(), mixedDates(), dutchMembers(), spanishMembers(), polishMembers(), wideSurvey(),
	}
}

// expectedState returns the expected content of the database after files in that order: later
// rows with the same key replace the values of earlier ones.
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

// The editions of a source overlap: the last rows of the first are repeated in the second.
const (
	secondEditionStart = 181
	firstEditionEnd    = 240
	secondEditionEnd   = 420
)

// personNumbers returns the row numbers of an edition.
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

// delimitedFile returns a file with that delimiter and line end.
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

// withoutEmpty returns a row without its empty values.
func withoutEmpty(r row) row {
	maps.DeleteFunc(r, func(_, text string) bool { return text == "" })
	return r
}
