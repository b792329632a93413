package inputs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// Files of users with the columns email and name. Most of them are never imported,
// so they are built on demand.

func fixedFile(file string) func(*testing.T) []byte {
	return func(*testing.T) []byte { return []byte(file) }
}

func zipFile(p xlsxtest.Parts) func(*testing.T) []byte {
	return func(t *testing.T) []byte { return p.Bytes(t) }
}

func zipContainer(streams ...xlstest.Stream) func(*testing.T) []byte {
	return func(*testing.T) []byte { return xlstest.Container(streams...) }
}

// falseDirectory returns a workbook of 5,100 users with a zip directory that is wrong for one part.
func falseDirectory(part string, change func(file []byte, e xlsxtest.Entry)) func(*testing.T) []byte {
	return func(t *testing.T) []byte {
		file := usersWorkbook(userRowsXML(1, 5100)).Bytes(t)
		change(file, xlsxtest.EntryOf(t, file, part))
		return file
	}
}

// usersWorkbook returns a workbook with the header and these rows.
func usersWorkbook(rows string) xlsxtest.Parts { return xlsxtest.Workbook(headerXML + rows) }

// headerXML is the header row.
var headerXML = textRowXML(1, "email", "name")

// textRowXML returns a row of texts, given as XML.
func textRowXML(number int, texts ...string) string {
	var cells strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&cells, `<c r="%c%d" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+i, number, text)
	}
	return rowXML(number, cells.String())
}

// rowXML returns a row of cells, given as XML.
func rowXML(number int, cells string) string {
	return fmt.Sprintf(`<row r="%d">%s</row>`, number, cells)
}

// userRowsXML returns n rows of a workbook, starting at row first+1.
func userRowsXML(first, n int) string {
	var rows strings.Builder
	for i := first; i < first+n; i++ {
		rows.WriteString(textRowXML(i+1, fmt.Sprintf("p%d@example.org", i), fmt.Sprintf("Person %d", i)))
	}
	return rows.String()
}

// usersCSV returns n users with the header above.
func usersCSV(first, n int, mark string) string {
	var rows strings.Builder
	rows.WriteString("email,name\n")
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&rows, "%s%d@example.org,Person %d\n", mark, i, i)
	}
	return rows.String()
}

// xlsUsers returns the header and two users.
func xlsUsers() []byte {
	var records []byte
	for i, texts := range [][2]string{{"email", "name"}, {"xls1@example.org", "One"}, {"xls2@example.org", "Two"}} {
		records = append(append(records, xlstest.Label(uint16(i), 0, texts[0])...), xlstest.Label(uint16(i), 1, texts[1])...)
	}
	return records
}
