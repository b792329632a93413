package canary

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// failingFiles returns files that fail their job, where possible with the value in the
// invalid part.
func failingFiles() map[string]func(*testing.T, *harness) {
	text := func(file, code string) func(*testing.T, *harness) {
		return failedImport(".csv", fixedFile(file), "", code)
	}
	book := func(rows, code string) func(*testing.T, *harness) {
		return failedImport(".xlsx", workbookWithPart("xl/worksheets/sheet1.xml", xlsxtest.Worksheet(bookHead+rows)), "", code)
	}
	const inline = `<c r="A2" t="inlineStr"><is><t>`
	return map[string]func(*testing.T, *harness){
		"another format":       text("<html><title>CANARY</title></html>", "UNSUPPORTED_FORMAT"),
		"no columns known":     text("HEADER one,HEADER two\nCANARY,CANARY\n", "REQUIRED_COLUMN_MISSING"),
		"unclosed quote":       text("email,name\nq@CANARY.example,\"CANARY\n", "FILE_CORRUPT"),
		"header too large":     text("email,"+strings.Repeat("CANARY", 20_000)+"\nq@CANARY.example,CANARY\n", "FIELD_TOO_LARGE"),
		"encoding":             failedImport(".csv", fixedFile("email,name\nq@CANARY.example,CANARY\xff\n"), `{"encoding":"utf-8"}`, "ENCODING_INVALID"),
		"too many columns":     text("email,name"+strings.Repeat(",CANARY", 500)+"\n", "TOO_MANY_COLUMNS"),
		"JSON that is none":    failedImport(".ndjson", fixedFile("[{\"CANARY\":\"CANARY\"}]"), "", "UNSUPPORTED_FORMAT"),
		"no such sheet":        failedImport(".xlsx", workbookWithPart("xl/worksheets/sheet1.xml", xlsxtest.Worksheet(bookHead)), `{"sheetName":"CANARY"}`, "SHEET_NOT_FOUND"),
		"entity":               book(`<row r="2">`+inline+`&CANARY;</t></is></c></row>`, ""),
		"bad cell":             book(`<row r="2"><c r="CANARY"><v>CANARY</v></c></row>`, "FILE_CORRUPT"),
		"bad row":              book(`<row r="CANARY"/>`, "FILE_CORRUPT"),
		"bad string":           book(`<row r="2"><c r="A2" t="s"><v>CANARY</v></c></row>`, "FILE_CORRUPT"),
		"bad tag":              book(`<row r="2"><CANARY></row>`, "FILE_CORRUPT"),
		"cut":                  failedImport(".xlsx", workbookWithPart("xl/worksheets/sheet1.xml", `<worksheet><sheetData>`+bookHead+`<row r="2">`+inline+`CANARY`), "", "FILE_CORRUPT"),
		"a part that is gone":  failedImport(".xlsx", workbookWithPart("xl/_rels/workbook.xml.rels", xlsxtest.Relationships("worksheet=CANARY.xml")), "", "FILE_CORRUPT"),
		"a sheet with no data": failedImport(".xlsx", workbookWithPart("xl/workbook.xml", `<workbook><sheets><sheet name="CANARY" sheetId="1"/></sheets></workbook>`), "", ""),
		"an XML encoding":      failedImport(".xlsx", workbookWithPart("xl/worksheets/sheet1.xml", `<?xml version="1.0" encoding="CANARY"?><worksheet/>`), "", "ENCODING_INVALID"),
	}
}

const bookHead = `<row r="1"><c r="A1" t="inlineStr"><is><t>email</t></is></c><c r="B1" t="inlineStr"><is><t>name</t></is></c></row>`

// fileBuilder builds a file once the value that replaces CANARY is known.
type fileBuilder func(t *testing.T, value string) []byte

func fixedFile(file string) fileBuilder {
	return func(_ *testing.T, value string) []byte { return []byte(strings.ReplaceAll(file, "CANARY", value)) }
}

// workbookWithPart returns a workbook with one custom part.
func workbookWithPart(part, text string) fileBuilder {
	return func(t *testing.T, value string) []byte {
		text := strings.ReplaceAll(text, "CANARY", value)
		return xlsxtest.Workbook("").With(xlsxtest.Parts{part: text}).Bytes(t)
	}
}

func failedImport(ending string, file fileBuilder, options, code string) func(*testing.T, *harness) {
	return func(t *testing.T, w *harness) {
		fields := map[string]string{"autoStart": "true"}
		if options != "" {
			fields["options"] = strings.ReplaceAll(options, "CANARY", w.valueNeedle)
		}
		content := bytes.ReplaceAll(file(t, w.valueNeedle), []byte("HEADER"), []byte(w.headerNeedle))
		j := w.createImport(t, "USER", ending, content, fields)
		w.awaitEnd(t, j.Identifier, "FAILED", code)
		w.requestEverything(t, j.Identifier)
	}
}
