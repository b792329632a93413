package inputs

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
)

func unusualFileCases() []promise {
	return []promise{
		{"header only (completed, 0 rows, NO_ROWS)", map[string]testCase{
			"text":     requireFileRead("u.csv", "email,name\n", "", "NO_ROWS"),
			"workbook": requireWorkbookRead("u.xlsx", "", "", "NO_ROWS"),
		}},
		{"CSV named .xlsx (warning)", map[string]testCase{
			"CSV":       requireFileRead("u.xlsx", "email,name\nnamed@example.org,A\n", "2 named@example.org A", "FORMAT_MISMATCH"),
			"xls, too":  xlsNamedXLSX,
			"named so":  requireFileRead("u.csv", "email,name\nwell@example.org,A\n", "2 well@example.org A"),
			"no ending": requireFileRead("u", "email,name\nbare@example.org,A\n", "2 bare@example.org A"),
		}},
		{"cells in descending order (placed by reference)", map[string]testCase{
			"descending": requireWorkbookRead("u.xlsx", rowXML(2, `<c r="B2" t="inlineStr"><is><t>Ann</t></is></c><c r="A2" t="inlineStr"><is><t>desc@example.org</t></is></c>`), "2 desc@example.org Ann"),
			"with gaps":  requireWorkbookRead("u.xlsx", textRowXML(4, "gap1@example.org", "Ann")+textRowXML(9, "gap2@example.org", "Ben"), "4 gap1@example.org Ann\n9 gap2@example.org Ben"),
		}},
		{"duplicate or blank headers (waits for mapping)", map[string]testCase{
			"duplicate": requireFileWaits("email,name,name\nd@example.org,A,B\n"),
			"blank":     requireFileWaits("email,name,\nb@example.org,A,x\n"),
		}},
		{"UTF-8 with BOM, UTF-16, UTF-32, Windows-1252", encodingCases()},
		{"`;`, tab, pipe, `sep=`", map[string]testCase{
			"semicolon": requireFileRead("u.csv", "email;name\nsemi@example.org;A,B\n", "2 semi@example.org A,B"),
			"tab":       requireFileRead("u.csv", "email\tname\ntab@example.org\tA;B\n", "2 tab@example.org A;B"),
			"pipe":      requireFileRead("u.csv", "email|name\npipe@example.org|A,B\n", "2 pipe@example.org A,B"),
			"sep=":      requireFileRead("u.csv", "sep=;\r\nemail;name\r\nsep@example.org;A,B\r\n", "2 sep@example.org A,B"),
		}},
		{"CR-only, CRLF in quotes, blank lines: true row numbers kept", map[string]testCase{
			"CR-only":        requireFileRead("u.csv", "email,name\rcr1@example.org,A\r\rcr2@example.org,B", "2 cr1@example.org A\n4 cr2@example.org B"),
			"CRLF in quotes": requireFileRead("u.csv", "email,name\r\nq1@example.org,\"A\r\nB\"\r\nq2@example.org,C\r\n", "2 q1@example.org A\r\nB\n3 q2@example.org C"),
			"blank lines":    requireFileRead("u.csv", "email,name\n\nbl1@example.org,A\n,\n \n\"\",\"\"\nbl2@example.org,B\n", "3 bl1@example.org A\n7 bl2@example.org B"),
		}},
	}
}

// requireFileRead tests a text that is imported completely: want lists "row email name".
func requireFileRead(name, file, want string, warnings ...string) testCase {
	return func(t *testing.T, w *harness) { w.requireRead(t, name, []byte(file), want, warnings...) }
}

func requireWorkbookRead(name, rows, want string, warnings ...string) testCase {
	return func(t *testing.T, w *harness) {
		w.requireRead(t, name, usersWorkbook(rows).Bytes(t), want, warnings...)
	}
}

func (w *harness) requireRead(t *testing.T, name string, file []byte, want string, warnings ...string) {
	t.Helper()
	j := w.importToEnd(t, "USER", name, file)
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
	require.Equal(t, 100, j.ProgressPercent)
	require.Zero(t, j.ErrorCount)
	require.ElementsMatch(t, warnings, j.Warnings)
	require.Equal(t, want, w.writtenUsers(t, j))
}

// writtenUsers returns the users that a job has written, as "row email name".
func (w *harness) writtenUsers(t *testing.T, j *rawclient.Job) string {
	t.Helper()
	return stacktest.Query[string](t, w.Stack, `
		SELECT coalesce(string_agg(u.source_row || ' ' || u.email || ' ' || u.name, E'\n' ORDER BY u.source_row), '')
		FROM users u JOIN import_jobs j ON j.id = u.source_job
		WHERE j.uuid = $1`, j.Identifier)
}

// requireFileWaits tests a file with columns about which a person must decide.
func requireFileWaits(file string) testCase {
	return func(t *testing.T, w *harness) {
		j := w.createImport(t, map[string]string{"importType": "USER"}, "u.csv", []byte(file))
		j = w.awaitJob(t, j.Identifier, func(j *rawclient.Job) bool { return j.Status != "UPLOADED" })
		require.Equal(t, "COLUMN_MAPPING", j.Status)
		require.Zero(t, w.countWritten(t, "users", j))
	}
}

func encodingCases() map[string]testCase {
	wide := func(mark string, order binary.AppendByteOrder, unit int) testCase {
		email := strings.ToLower(strings.ReplaceAll(order.String(), "Endian", "")) + mark + string(rune('0'+unit)) + "@example.org"
		text := "email;name\r\n" + email + ";Łódź 𝄞\r\n"
		if mark != "" {
			text = "\uFEFF" + text
		}
		return requireFileRead("u.csv", encodeUnits(text, order, unit), "2 "+email+" Łódź 𝄞")
	}
	return map[string]testCase{
		"UTF-8":             requireFileRead("u.csv", "email,name\nu8@example.org,Łódź 𝄞\n", "2 u8@example.org Łódź 𝄞"),
		"UTF-8 with BOM":    requireFileRead("u.csv", "\uFEFF\"email\",name\nu8bom@example.org,Łódź 𝄞\n", "2 u8bom@example.org Łódź 𝄞"),
		"UTF-16LE with BOM": wide("mark", binary.LittleEndian, 2),
		"UTF-16BE with BOM": wide("mark", binary.BigEndian, 2),
		"UTF-16LE":          wide("", binary.LittleEndian, 2),
		"UTF-16BE":          wide("", binary.BigEndian, 2),
		"UTF-32LE with BOM": wide("mark", binary.LittleEndian, 4),
		"UTF-32BE with BOM": wide("mark", binary.BigEndian, 4),
		"Windows-1250":      requireFileRead("u.csv", "email;name\r\nw1250@example.org;\x8Cwi\xEAtos\xB3aw W\xB9s\r\n", "2 w1250@example.org Świętosław Wąs"),
		"KOI8-R":            requireFileRead("u.csv", "email;name\r\nkoi8@example.org;\xF0\xA3\xD4\xD2 \xFD\xC5\xD2\xC2\xC1\xCB\xCF\xD7\r\n", "2 koi8@example.org Пётр Щербаков"),
		"Shift-JIS":         requireFileRead("u.csv", "email;name\r\nsjis@example.org;\x8F\xAC\x8A}\x8C\xB4 \x8C\x92\r\n", "2 sjis@example.org 小笠原 健"),
		"Windows-1252":      requireFileRead("u.csv", "email;name\r\nw1252@example.org;Zo\xeb \x80\r\n", "2 w1252@example.org Zoë €"),
	}
}

// encodeUnits encodes a text in units of two or four bytes.
func encodeUnits(text string, order binary.AppendByteOrder, unit int) string {
	var out []byte
	if unit == 4 {
		for _, r := range text {
			out = order.AppendUint32(out, uint32(r))
		}
		return string(out)
	}
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

func xlsNamedXLSX(t *testing.T, w *harness) {
	w.requireRead(t, "u.xlsx", xlstest.Simple(xlsUsers()).File(), "2 xls1@example.org One\n3 xls2@example.org Two", "FORMAT_MISMATCH")
}
