package inputs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// Files of users, which have the columns email and name. As most of them are never
// imported, they are built when their turn comes.

func constant(file string) func(*testing.T) []byte {
	return func(*testing.T) []byte { return []byte(file) }
}

func zipped(p xlsxtest.Parts) func(*testing.T) []byte {
	return func(t *testing.T) []byte { return p.Bytes(t) }
}

func container(streams ...xlstest.Stream) func(*testing.T) []byte {
	return func(*testing.T) []byte { return xlstest.Container(streams...) }
}

// lie is a workbook of 5,100 users with a directory that is not true of one part.
func lie(part string, change func(file []byte, e xlsxtest.Entry)) func(*testing.T) []byte {
	return func(t *testing.T) []byte {
		file := book(people(1, 5100)).Bytes(t)
		change(file, xlsxtest.EntryOf(t, file, part))
		return file
	}
}

// book is a workbook with the header and these rows.
func book(rows string) xlsxtest.Parts { return xlsxtest.Workbook(head + rows) }

// head is the header's row.
var head = row(1, "email", "name")

// row is a row of texts, given as XML.
func row(number int, texts ...string) string {
	var cells strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&cells, `<c r="%c%d" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+i, number, text)
	}
	return cellsRow(number, cells.String())
}

// cellsRow is a row of cells, given as XML.
func cellsRow(number int, cells string) string {
	return fmt.Sprintf(`<row r="%d">%s</row>`, number, cells)
}

// people are the rows from first+1 on of a workbook of that many users.
func people(first, n int) string {
	var rows strings.Builder
	for i := first; i < first+n; i++ {
		rows.WriteString(row(i+1, fmt.Sprintf("p%d@example.org", i), fmt.Sprintf("Person %d", i)))
	}
	return rows.String()
}

// csv are that many users with the header above.
func csv(first, n int, mark string) string {
	var rows strings.Builder
	rows.WriteString("email,name\n")
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&rows, "%s%d@example.org,Person %d\n", mark, i, i)
	}
	return rows.String()
}

// xlsPeople are the header and two users.
func xlsPeople() []byte {
	var records []byte
	for i, texts := range [][2]string{{"email", "name"}, {"xls1@example.org", "One"}, {"xls2@example.org", "Two"}} {
		records = append(append(records, xlstest.Label(uint16(i), 0, texts[0])...), xlstest.Label(uint16(i), 1, texts[1])...)
	}
	return records
}
