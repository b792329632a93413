package reader_test

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// member is a row of a members' list: a number, three texts, a date, an amount and a
// boolean.
type member struct {
	id          int
	email       string
	first, last string
	serial      int // the date in a workbook
	fee         float64
	active      bool
}

func memberAt(i int) member {
	first := [...]string{"Anna", "Bert", "Cleo", "Daan", "Zoë"}
	return member{
		id: i, email: fmt.Sprintf("member%d@example.org", i), first: first[i%len(first)], last: fmt.Sprintf("Smith-%d", i%1000),
		serial: 40_000 + i%5000, fee: float64(i%50_000) / 100, active: i%3 > 0,
	}
}

// generated writes a file of that many members and returns its name.
func generated(tb testing.TB, name string, rows int, write func(w io.Writer, rows int) error) string {
	tb.Helper()
	name = filepath.Join(tb.TempDir(), name)
	f, err := os.Create(name)
	require.NoError(tb, err)
	w := bufio.NewWriterSize(f, 1<<20)
	require.NoError(tb, write(w, rows))
	require.NoError(tb, w.Flush())
	require.NoError(tb, f.Close())
	return name
}

func writeCSV(w io.Writer, rows int) error {
	_, err := io.WriteString(w, "id,email,first name,last name,joined,fee,active\n")
	for i := 0; i < rows && err == nil; i++ {
		m := memberAt(i)
		_, err = fmt.Fprintf(w, "%d,%s,%s,%s,2026-01-%02d,%.2f,%t\n", m.id, m.email, m.first, m.last, i%28+1, m.fee, m.active)
	}
	return err
}

// The parts of a workbook with one sheet, shared strings and a date format, in the form that
// spreadsheet programs write.
var workbookParts = []struct{ name, body string }{
	{"[Content_Types].xml", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>`},
	{"_rels/.rels", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Members" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/><Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>`},
	{"xl/styles.xml", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`},
}

func writeXLSX(w io.Writer, rows int) error {
	z := zip.NewWriter(w)
	for _, part := range workbookParts {
		if err := writePart(z, part.name, func(w io.Writer) error {
			_, err := io.WriteString(w, part.body)
			return err
		}); err != nil {
			return err
		}
	}
	if err := writePart(z, "xl/sharedStrings.xml", func(w io.Writer) error { return writeStrings(w, rows) }); err != nil {
		return err
	}
	if err := writePart(z, "xl/worksheets/sheet1.xml", func(w io.Writer) error { return writeSheet(w, rows) }); err != nil {
		return err
	}
	return z.Close()
}

func writePart(z *zip.Writer, name string, write func(w io.Writer) error) error {
	w, err := z.Create(name)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	if err := write(buffered); err != nil {
		return err
	}
	return buffered.Flush()
}

// writeStrings writes seven headers and three strings per row.
func writeStrings(w io.Writer, rows int) error {
	_, err := fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="%[1]d" uniqueCount="%[1]d"><si><t>id</t></si><si><t>email</t></si><si><t>first name</t></si><si><t>last name</t></si><si><t>joined</t></si><si><t>fee</t></si><si><t>active</t></si>`, 3*rows+7)
	for i := 0; i < rows && err == nil; i++ {
		m := memberAt(i)
		_, err = fmt.Fprintf(w, `<si><t>%s</t></si><si><t>%s</t></si><si><t>%s</t></si>`, m.email, m.first, m.last)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, `</sst>`)
	return err
}

func writeSheet(w io.Writer, rows int) error {
	_, err := io.WriteString(w, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c><c r="E1" t="s"><v>4</v></c><c r="F1" t="s"><v>5</v></c><c r="G1" t="s"><v>6</v></c></row>`)
	for i := 0; i < rows && err == nil; i++ {
		m, at, active := memberAt(i), 3*i+7, 0
		if m.active {
			active = 1
		}
		_, err = fmt.Fprintf(w, `<row r="%[1]d"><c r="A%[1]d"><v>%[2]d</v></c><c r="B%[1]d" t="s"><v>%[3]d</v></c><c r="C%[1]d" t="s"><v>%[4]d</v></c><c r="D%[1]d" t="s"><v>%[5]d</v></c><c r="E%[1]d" s="1"><v>%[6]d</v></c><c r="F%[1]d"><v>%[7]g</v></c><c r="G%[1]d" t="b"><v>%[8]d</v></c></row>`,
			i+2, m.id, at, at+1, at+2, m.serial, m.fee, active)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, `</sheetData></worksheet>`)
	return err
}
