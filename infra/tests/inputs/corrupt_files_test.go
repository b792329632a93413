package inputs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

func corruptFileCases() []promise {
	return []promise{
		{"empty FILE_EMPTY", map[string]testCase{
			"nothing at all": rejectsEmptyForm,
			"blank lines":    requireFileFails("u.csv", fixedFile(" \r\n\r\n"), "FILE_EMPTY", "empty"),
			"a mark alone":   requireFileFails("u.csv", fixedFile("\uFEFF"), "FILE_EMPTY", "empty"),
		}},
		{"another format under a spreadsheet's name, docx, HTML, xlsb, ods UNSUPPORTED_FORMAT", map[string]testCase{
			"PDF":             requireUnsupported("u.csv", fixedFile("%PDF-1.7\n1 0 obj\n"), "PDF"),
			"PNG":             requireUnsupported("u.xlsx", fixedFile("\x89PNG\r\n\x1a\n\x00\x00"), "PNG"),
			"gzip":            requireUnsupported("u.csv", fixedFile("\x1f\x8b\x08\x00abcdefgh"), "gzip"),
			"HTML":            requireUnsupported("u.xls", fixedFile("<html><body><table><tr><td>email</td></tr></table></body></html>"), "HTML"),
			"XML workbook":    requireUnsupported("u.xls", fixedFile(`<?xml version="1.0"?><Workbook/>`), "XML"),
			"docx":            requireUnsupported("u.xlsx", zipFile(xlsxtest.Parts{"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}), ""),
			"xlsb":            requireUnsupported("u.xlsx", zipFile(xlsxtest.Parts{"xl/workbook.bin": "x"}), ""),
			"ods":             requireUnsupported("u.xlsx", zipFile(xlsxtest.Parts{"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<x/>"}), ""),
			"doc":             requireUnsupported("u.xls", zipContainer(xlstest.Stream{Name: "WordDocument"}), ""),
			"any zip":         requireUnsupported("u.xlsx", zipFile(xlsxtest.Parts{"a.txt": "x"}), ""),
			"a JSON document": requireUnsupported("u.ndjson", fixedFile("[\n{\"email\":\"a@example.org\"}\n]"), "JSON"),
			"bytes":           requireUnsupported("u.csv", fixedFile(strings.Repeat("\x00\x01\x02\x03abc", 200)), ""),
		}},
		{"password FILE_ENCRYPTED", map[string]testCase{
			"xlsx": requireFileFails("u.xlsx", zipContainer(xlstest.Stream{Name: "EncryptedPackage"}, xlstest.Stream{Name: "EncryptionInfo"}), "FILE_ENCRYPTED", "password"),
			"xls":  requireFileFails("u.xls", zipContainer(xlstest.Stream{Name: "Workbook", Body: xlstest.Simple().Encrypted(xlstest.RC4("secret"))}), "FILE_ENCRYPTED", "password"),
			"zip":  requireFileFails("u.xlsx", falseDirectory("xl/worksheets/sheet1.xml", func(f []byte, e xlsxtest.Entry) { f[e.Offset+xlsxtest.Flags] |= 1 }), "FILE_ENCRYPTED", ""),
		}},
		{"zip bomb FILE_TOO_COMPRESSED", map[string]testCase{
			"of blanks": requireFileFails("u.xlsx", zipFile(usersWorkbook(userRowsXML(1, 20)+strings.Repeat(" ", 32<<20))), "FILE_TOO_COMPRESSED", ""),
			"of strings": requireFileFails("u.xlsx", zipFile(usersWorkbook(userRowsXML(1, 20)+rowXML(22, `<c r="A22" t="s"><v>0</v></c>`)).With(xlsxtest.Parts{
				"xl/sharedStrings.xml": xlsxtest.SharedStrings(strings.Repeat("<t>xxxxxxxx</t></si><si>", 1<<20)),
			})), "FILE_TOO_COMPRESSED", ""),
		}},
		{"lying sizes, overlapping entries, truncated zip or XML, absurd row numbers, bad string index, fuzzed xls FILE_CORRUPT with no row applied", corruptFiles()},
		{"DTD or entities FILE_UNSAFE_XML", map[string]testCase{
			"DTD": requireFileFails("u.xlsx", zipFile(usersWorkbook(userRowsXML(1, 2)).With(xlsxtest.Parts{"xl/workbook.xml": `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>` + xlsxtest.Workbook("")["xl/workbook.xml"]})), "FILE_UNSAFE_XML", ""),
			"external entity": requireFileFails("u.xlsx", zipFile(xlsxtest.Workbook("").With(xlsxtest.Parts{"xl/worksheets/sheet1.xml": `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>` +
				xlsxtest.Worksheet(headerXML+textRowXML(2, "dtd@example.org", "&a;"))})), "FILE_UNSAFE_XML", ""),
			"entity after good rows": requireFileFails("u.xlsx", zipFile(usersWorkbook(userRowsXML(1, 5100)+textRowXML(5102, "x@example.org", "&evil;"))), "FILE_UNSAFE_XML", ""),
		}},
		{"TOO_MANY_COLUMNS", map[string]testCase{
			"text":     requireFileFails("u.csv", fixedFile("email,name"+strings.Repeat(",x", 499)+"\n"), "TOO_MANY_COLUMNS", "500"),
			"workbook": requireFileFails("u.xlsx", zipFile(usersWorkbook(userRowsXML(1, 2)+`<row r="4"><c r="SG4"><v>1</v></c></row>`)), "TOO_MANY_COLUMNS", "500"),
		}},
		{"TOO_MANY_ROWS", map[string]testCase{"five million and one": rejectsTooManyRows}},
		{"NO_DATA_SHEET", map[string]testCase{
			"no sheets":    requireFileFails("u.xlsx", zipFile(usersWorkbook("").With(xlsxtest.Parts{"xl/workbook.xml": "<workbook/>"})), "NO_DATA_SHEET", ""),
			"empty sheets": requireFileFails("u.xlsx", zipFile(xlsxtest.Workbook("")), "NO_DATA_SHEET", ""),
			"xls":          requireFileFails("u.xls", fixedFile(string(xlstest.Book{Version: xlstest.BIFF8, Sheets: []xlstest.Sheet{{Name: "Chart", Kind: 2}}}.File())), "NO_DATA_SHEET", ""),
		}},
		{"unclosed quote FILE_CORRUPT with its line", map[string]testCase{
			"near the end":     requireFileFails("u.csv", fixedFile("email,name\nq1@example.org,A\nq2@example.org,\"open\nq3@example.org,C\n"), "FILE_CORRUPT", "row 3"),
			"after 6,000 rows": requireFileFails("u.csv", fixedFile(usersCSV(1, 6000, "uq")+"last@example.org,\"open\n"), "FILE_CORRUPT", "row 6002"),
		}},
		{"ENCODING_INVALID", map[string]testCase{
			"UTF-16 cut":         requireFileFails("u.csv", fixedFile("\xff\xfee\x00,\x00n\x00\n\x00x"), "ENCODING_INVALID", "UTF-16"),
			"stated UTF-8":       requireFileFailsWith(`{"encoding":"utf-8"}`, "u.csv", fixedFile("email,name\ni1@example.org,A\ni2@example.org,Zo\xeb\n"), "ENCODING_INVALID", "ow 3"),
			"after 200,000 rows": requireLargeFileFails(usersCSV(1, 200_000, "ei")+"good@example.org,Zoë\nbad@example.org,Zo\xeb\n"+usersCSV(1, 200_000, "ej"), "ENCODING_INVALID", "200003"),
		}},
	}
}

// corruptFiles returns tests of files with false metadata. The error comes after more rows than
// fit into a chunk.
func corruptFiles() map[string]testCase {
	const sheet = "xl/worksheets/sheet1.xml"
	damaged := func(file func(*testing.T) []byte) testCase {
		return requireFileFails("u.xlsx", file, "FILE_CORRUPT", "")
	}
	behind := func(rows string) testCase { return damaged(zipFile(usersWorkbook(userRowsXML(1, 5100) + rows))) }
	tries := map[string]testCase{
		"larger than it says":  damaged(falseDirectory(sheet, func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.UncompressedSize, -1) })),
		"smaller than it says": damaged(falseDirectory(sheet, func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.UncompressedSize, 1) })),
		"wrong checksum":       damaged(falseDirectory(sheet, func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.CRC, 1) })),
		"overlapping entries":  damaged(falseDirectory(sheet, func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.CompressedSize, 30) })),
		"entry elsewhere":      damaged(falseDirectory(sheet, func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.LocalOffset, 1) })),
		"entry behind the end": damaged(falseDirectory(sheet, func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.LocalOffset, 1<<30) })),
		"truncated zip":        damaged(func(t *testing.T) []byte { f := usersWorkbook(userRowsXML(1, 5100)).Bytes(t); return f[:len(f)*2/3] }),
		"truncated XML": damaged(func(t *testing.T) []byte {
			whole := usersWorkbook(userRowsXML(1, 5100))
			return whole.With(xlsxtest.Parts{sheet: whole[sheet][:len(whole[sheet])*9/10]}).Bytes(t)
		}),
		"row beyond the last":   behind(`<row r="1048577"/>`),
		"row beyond any number": behind(`<row r="99999999999999999999999999"/>`),
		"row negative":          behind(`<row r="-1"/>`),
		"rows descending":       behind(`<row r="7"/>`),
		"cell of another row":   behind(`<row r="5200"><c r="A7"><v>1</v></c></row>`),
		"string index too high": behind(`<row r="5200"><c r="A5200" t="s"><v>99</v></c></row>`),
		"string index negative": behind(`<row r="5200"><c r="A5200" t="s"><v>-1</v></c></row>`),
		"a part is missing":     damaged(zipFile(usersWorkbook("").With(xlsxtest.Parts{"xl/_rels/workbook.xml.rels": xlsxtest.Relationships("worksheet=gone.xml")}))),
		"xls: magic only":       requireFileFails("u.xls", fixedFile("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "FILE_CORRUPT", ""),
		"xls: a sheet nowhere": requireFileFails("u.xls", zipContainer(xlstest.Stream{Name: "Workbook", Body: slices.Concat(
			xlstest.BOF(xlstest.BIFF8, 5), xlstest.Record(0x0085, uint32(1<<31), byte(0), byte(0), byte(1), xlstest.Chars("S")), xlstest.EOF())}), "FILE_CORRUPT", ""),
		"xls: a bad string index": requireFileFails("u.xls", fixedFile(string(xlstest.Simple(xlsUsers(), xlstest.Shared(9, 0, 99)).File())), "FILE_CORRUPT", ""),
	}
	whole := xlstest.Simple(xlsUsers()).Stream()
	for _, n := range []int{20, 60, 150, len(whole) - 40, len(whole) - 10} {
		tries[fmt.Sprintf("xls: cut at %d", n)] = requireFileFails("u.xls", zipContainer(xlstest.Stream{Name: "Workbook", Body: whole[:n]}), "FILE_CORRUPT", "")
	}
	return tries
}

// requireUnsupported tests a file with content that does not match its name.
func requireUnsupported(name string, file func(*testing.T) []byte, says string) testCase {
	return requireFileFails(name, file, "UNSUPPORTED_FORMAT", says)
}

// requireFileFails tests a file that fails its job without applying any row.
func requireFileFails(name string, file func(*testing.T) []byte, code, says string) testCase {
	return requireFileFailsWith("", name, file, code, says)
}

func requireFileFailsWith(options, name string, file func(*testing.T) []byte, code, says string) testCase {
	return func(t *testing.T, w *harness) {
		fields := map[string]string{"importType": "USER", "autoStart": "true"}
		if options != "" {
			fields["options"] = options
		}
		j := w.createImport(t, fields, name, file(t))
		w.requireFailed(t, w.awaitJob(t, j.Identifier, (*rawclient.Job).Ended), code, says)
	}
}

// requireLargeFileFails tests a file that does not fit into a form.
func requireLargeFileFails(file, code, says string) testCase {
	return func(t *testing.T, w *harness) {
		j, err := w.Upload(t.Context(), rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", SizeBytes: int64(len(file)), AutoStart: true}, strings.NewReader(file))
		require.NoError(t, err)
		w.requireFailed(t, w.awaitJob(t, j.Identifier, (*rawclient.Job).Ended), code, says)
		require.Zero(t, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_chunks c JOIN import_jobs j ON j.id = c.job_id WHERE j.uuid = $1 AND c.done`, j.Identifier))
	}
}

func rejectsEmptyForm(t *testing.T, w *harness) {
	const form = "--b\r\nContent-Disposition: form-data; name=\"importType\"\r\n\r\nUSER\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n\r\n--b--\r\n"
	w.requireRefused(t, request{method: "POST", path: "/api/imports", contentType: "multipart/form-data; boundary=b", body: strings.NewReader(form)}, 400, "FILE_EMPTY")
}

func rejectsTooManyRows(t *testing.T, w *harness) {
	requireLargeFileFails("email,name\n"+strings.Repeat("a,\n", 5_000_001), "TOO_MANY_ROWS", "5")(t, w)
}
