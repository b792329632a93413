package inputs

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

func unusualRowCases() []promise {
	text := func(cell string) string { return `<c r="B3" t="inlineStr"><is><t>` + cell + `</t></is></c>` }
	return []promise{
		{"ragged ROW_WIDTH", map[string]testCase{
			"shorter":                 requireOnlyErrors("USER", "email,name\nrs1@example.org,A\nrs2@example.org\nrs3@example.org,C\n", "3 ROW_WIDTH", 2),
			"longer":                  requireOnlyErrors("USER", "email,name\nrl1@example.org,A\nrl2@example.org,B,C\nrl3@example.org,C\n", "3 ROW_WIDTH", 2),
			"longer by an empty cell": requireOnlyErrors("USER", "email,name\nre1@example.org,A\nre2@example.org,B,\nre3@example.org,C\n", "3 ROW_WIDTH", 2),
		}},
		{"stray quote ROW_QUOTE", map[string]testCase{
			"closed in a later row":  requireOnlyErrors("USER", "email,name\nsq1@example.org,\"A\nsq2@example.org,B\nsq3@example.org,C\"\n", "2 ROW_QUOTE", 2),
			"followed by a quote":    requireOnlyErrors("USER", "email,name\nsr1@example.org,A\nsr2@example.org,\"B\nsr3@example.org,\"C, D\"\n", "3 ROW_QUOTE", 2),
			"text behind the second": requireOnlyErrors("USER", "email,name\nst1@example.org,A\nst2@example.org,\"B\" C\n", "3 ROW_QUOTE", 1),
		}},
		{"a cell over 128 KiB FIELD_TOO_LARGE", map[string]testCase{
			"text":     requireOnlyErrors("USER", usersCSV(1, 6000, "ftl")+"big@example.org,"+strings.Repeat("x", 200_000)+"\nftlast@example.org,A\n", "6002 FIELD_TOO_LARGE", 6001),
			"workbook": requireOnlyErrorInWorkbook("l", text(strings.Repeat("x", 200_000)), "3 FIELD_TOO_LARGE"),
		}},
		{"uncached formula CELL_FORMULA", map[string]testCase{"no value": requireOnlyErrorInWorkbook("f", `<c r="B3"><f>1+1</f></c>`, "3 NAME CELL_FORMULA")}},
		{"`#REF!` CELL_ERROR", map[string]testCase{"an error": requireOnlyErrorInWorkbook("r", `<c r="B3" t="e"><v>#REF!</v></c>`, "3 NAME CELL_ERROR")}},
		{"bad date CELL_DATE (1904 flag honoured)", map[string]testCase{
			"no such day":  requireOnlyErrors("MEMBERSHIP", membersCSV("nsd", "1990-01-31", "1990-02-30", "1990-03-01"), "3 BIRTH_DATE CELL_DATE", 2),
			"words":        requireOnlyErrors("MEMBERSHIP", membersCSV("wor", "1990-01-31", "soon", "1990-03-01"), "3 BIRTH_DATE CELL_DATE", 2),
			"either order": requireOnlyErrors("MEMBERSHIP", membersCSV("eit", "03/04/1990"), "2 BIRTH_DATE CELL_DATE", 0),
			"1904":         workbookSince1904,
		}},
		{"overflow, NaN CELL_RANGE", map[string]testCase{
			"overflow": requireOnlyErrors("ORDER", ordersCSV("o1", "1", "9223372036854775808", "3"), "3 ITEM_COUNT CELL_RANGE", 2),
			"NaN":      requireOnlyErrors("ORDER", ordersCSV("o2", "1", "NaN", "3"), "3 ITEM_COUNT CELL_RANGE", 2),
			"infinite": requireOnlyErrors("ORDER", ordersCSV("o3", "1", "-Infinity", "3"), "3 ITEM_COUNT CELL_RANGE", 2),
			"absurd":   requireOnlyErrors("ORDER", ordersCSV("o4", "1", "1e999999999", "3"), "3 ITEM_COUNT CELL_RANGE", 2),
		}},
		{"NUL (also `_x0000_`) CELL_NUL", map[string]testCase{
			"NUL":     requireOnlyErrors("USER", "email,name\nn1@example.org,A\nn2@example.org,B\x00\nn3@example.org,C\n", "3 NAME CELL_NUL", 2),
			"_x0000_": requireOnlyErrorInWorkbook("n", text("a_x0000_b"), "3 NAME CELL_NUL"),
		}},
		{"too long CELL_TOO_LONG", map[string]testCase{
			"by one": requireOnlyErrors("USER", "email,name\nt1@example.org,"+strings.Repeat("é", 200)+"\nt2@example.org,"+strings.Repeat("é", 201)+"\n", "3 NAME CELL_TOO_LONG", 1),
		}},
		{"the same key twice in a file ROW_DUPLICATE", map[string]testCase{
			"near":        requireOnlyErrors("USER", "email,name\ntw1@example.org,A\nTW1@example.org,B\n", "3 EMAIL ROW_DUPLICATE", 1),
			"chunks away": requireOnlyErrors("USER", usersCSV(1, 12_000, "far")+"far7@example.org,Again\n", "12002 EMAIL ROW_DUPLICATE", 12_000),
		}},
		{"lost precision CELL_PRECISION (leading zeros and long numbers survive in text fields)", map[string]testCase{
			"decimals of a count": requireOnlyErrors("ORDER", ordersCSV("o5", "1", "1.5", "3"), "3 ITEM_COUNT CELL_PRECISION", 2),
			"a time of a date":    requireOnlyErrors("MEMBERSHIP", membersCSV("tim", "1990-01-31", "1990-02-03T10:00:00", "1990-03-01"), "3 BIRTH_DATE CELL_PRECISION", 2),
			"digits lost before":  requireOnlyErrorInWorkbook("p", `<c r="B3"><v>1.23456789012346E+17</v></c>`, "3 NAME CELL_PRECISION"),
			"what survives":       requireDigitsPreserved,
		}},
	}
}

// requireOnlyErrors tests a text in which only the rows in want, as "row field code", fail, and
// the others, good in number, are written.
func requireOnlyErrors(importType, file, want string, good int64) testCase {
	return func(t *testing.T, w *harness) { w.requireOnlyErrors(t, importType, "r.csv", []byte(file), want, good) }
}

// requireOnlyErrorInWorkbook tests a workbook of three users, in which the middle one has the
// cell B3, given as XML.
func requireOnlyErrorInWorkbook(mark, cell, want string) testCase {
	return func(t *testing.T, w *harness) {
		email := func(n int) string { return fmt.Sprintf("book-%s%d@example.org", mark, n) }
		rows := textRowXML(2, email(1), "A") + rowXML(3, `<c r="A3" t="inlineStr"><is><t>`+email(2)+`</t></is></c>`+cell) + textRowXML(4, email(3), "C")
		w.requireOnlyErrors(t, "USER", "r.xlsx", usersWorkbook(rows).Bytes(t), want, 2)
	}
}

func (w *harness) requireOnlyErrors(t *testing.T, importType, name string, file []byte, want string, good int64) {
	t.Helper()
	fields := map[string]string{"importType": importType, "autoStart": "true"}
	if importType == "MEMBERSHIP" {
		fields["contextId"] = "1"
	}
	j := w.awaitJob(t, w.createImport(t, fields, name, file).Identifier, (*rawclient.Job).Ended)
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
	results, err := w.Results(t.Context(), j.Identifier, "ERROR", 0, 50)
	require.NoError(t, err)
	var got []string
	for _, r := range results {
		for _, f := range r.Faults {
			got = append(got, strings.ReplaceAll(fmt.Sprint(r.RowNumber, " ", f.Field, " ", f.Code), "  ", " "))
			requireSentence(t, f.Message)
			t.Logf("row %d %s: %s", r.RowNumber, f.Code, f.Message)
		}
	}
	require.Equal(t, []string{want}, got)
	require.Equal(t, good, j.SuccessCount)
	require.Equal(t, int64(1), j.ErrorCount)
}

// membersCSV returns memberships with these dates of birth.
func membersCSV(mark string, births ...string) string {
	var file strings.Builder
	file.WriteString("first name,last name,email,date of birth,membership type\n")
	for i, born := range births {
		fmt.Fprintf(&file, "F%d,L,%s%d@example.org,%s,Senior\n", i, mark, i, born)
	}
	return file.String()
}

// ordersCSV returns orders with these numbers of items.
func ordersCSV(mark string, counts ...string) string {
	var file strings.Builder
	file.WriteString("clientId,clientReference,senderName,senderAddress,senderContact,receiverName,receiverAddress,receiverCity,receiverPincode,itemCount,totalWeight,serviceType\n")
	for i, n := range counts {
		fmt.Fprintf(&file, "7,%s-%d,Acme,1 Dock Road,0801234567,Bea,2 Hill Street,Pune,411001,%s,2.5,EXPRESS\n", mark, i, n)
	}
	return file.String()
}

// workbookSince1904 tests a workbook with the 1904 date system.
func workbookSince1904(t *testing.T, w *harness) {
	cells := func(n int, texts ...string) (out string) {
		for i, text := range texts {
			out += fmt.Sprintf(`<c r="%c%d" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+i, n, text)
		}
		return out
	}
	file := xlsxtest.Workbook(rowXML(1, cells(1, "first name", "last name", "email", "membership type", "date of birth")) +
		rowXML(2, cells(2, "F", "L", "y1904@example.org", "Senior")+`<c r="E2" s="1"><v>31442</v></c>`)).With(xlsxtest.Parts{
		"xl/workbook.xml": `<workbook xmlns="` + xlsxtest.MainNS + `" xmlns:r="` + xlsxtest.RelNS + `"><workbookPr date1904="1"/><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
	}).Bytes(t)
	var j rawclient.Job
	require.NoError(t, w.PostForm(t.Context(), http.MethodPost, "/api/imports", "y.xlsx", file, map[string]string{"importType": "MEMBERSHIP", "contextId": "1", "autoStart": "true"}, &j))
	require.Equal(t, int64(1), w.awaitJob(t, j.Identifier, (*rawclient.Job).Ended).SuccessCount)
	require.Equal(t, "1990-01-31", stacktest.Query[string](t, w.Stack, `SELECT birth_date::text FROM persons WHERE email = 'y1904@example.org'`))
}

// requireDigitsPreserved tests texts of digits that must not be changed by parsing them as
// numbers.
func requireDigitsPreserved(t *testing.T, w *harness) {
	w.requireRead(t, "s.csv", []byte("email,name\nlz@example.org,00123\nln@example.org,12345678901234567890123\nex@example.org,1E5\n"),
		"2 lz@example.org 00123\n3 ln@example.org 12345678901234567890123\n4 ex@example.org 1E5")
	w.requireRead(t, "s.xlsx", usersWorkbook(textRowXML(2, "blz@example.org", "00123")+
		rowXML(3, `<c r="A3" t="inlineStr"><is><t>bln@example.org</t></is></c><c r="B3"><v>1234567890123456</v></c>`)).Bytes(t),
		"2 blz@example.org 00123\n3 bln@example.org 1234567890123456")
}
