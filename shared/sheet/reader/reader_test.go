package reader_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

func detect(in string, opt sheet.Options) (*sheet.Dialect, error) {
	return reader.Detect(context.Background(), strings.NewReader(in), opt, sheet.DefaultLimits())
}

func TestDetectRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		code     problem.Code
		says     string
	}{
		{"nothing", "", problem.FileEmpty, "empty"},
		{"blank lines", " \r\n\r\n", problem.FileEmpty, "empty"},
		{"a byte order mark alone", "\uFEFF", problem.FileEmpty, "empty"},
		{"PDF", "%PDF-1.7\n1 0 obj", problem.UnsupportedFormat, "a PDF file"},
		{"HTML", "\r\n<!DOCTYPE html><html><body><table><tr><td>1</td></tr>", problem.UnsupportedFormat, "web page"},
		{"HTML table", "<table><tr><td>1</td></tr></table>", problem.UnsupportedFormat, "web page"},
		{"XML workbook", "<?xml version=\"1.0\"?><Workbook/>", problem.UnsupportedFormat, "XML"},
		{"gzip", "\x1F\x8B\x08\x00", problem.UnsupportedFormat, "gzip"},
		{"PNG", "\x89PNG\r\n\x1A\n\x00", problem.UnsupportedFormat, "PNG"},
		{"RTF", `{\rtf1\ansi`, problem.UnsupportedFormat, "RTF"},
		{"empty zip", "PK\x05\x06" + strings.Repeat("\x00", 18), problem.UnsupportedFormat, "zip"},
		{"binary", strings.Repeat("\x00\x01\x02\x03abc", 100), problem.UnsupportedFormat, "format is not supported"},
		{"bytes of any kind", randomBytes(5000), problem.UnsupportedFormat, "format is not supported"},
		{"a program without its head", randomBytes(40) + strings.Repeat("\x90\x81\x1b\x0e", 50), problem.UnsupportedFormat, "format is not supported"},
		{"Excel 2", "\x09\x00\x04\x00\x02\x00\x10\x00\x0b\x00", problem.UnsupportedFormat, "Excel 2"},
		{"Excel 3", "\x09\x02\x06\x00\x00\x03\x10\x00\x00\x00", problem.UnsupportedFormat, "Excel 3"},
		{"Excel 4", "\x09\x04\x06\x00\x00\x04\x10\x00\x00\x00", problem.UnsupportedFormat, "Excel 4"},
		{"Excel without a container", "\x09\x08\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00", problem.UnsupportedFormat, "container"},
		{"JSON array", "[\n {\"a\": 1}\n]", problem.UnsupportedFormat, "JSON array"},
		{"JSON document", "{\n  \"rows\": [1, 2]\n}", problem.UnsupportedFormat, "JSON document"},
		{"half a UTF-16 character", "\xFF\xFEa\x00,\x00b\x00\n\x00x", problem.EncodingInvalid, "UTF-16LE"},
		{"lone surrogate", "\xFF\xFEa\x00\n\x00\x00\xD8b\x00", problem.EncodingInvalid, "UTF-16LE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := detect(tt.in, sheet.Options{})
			require.Equal(t, tt.code, problem.CodeOf(err), "%v", err)
			require.ErrorContains(t, err, tt.says)
		})
	}
}

// randomBytes returns uniformly distributed bytes, which are the same in every run.
func randomBytes(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.UintN(256))
	}
	return string(b)
}

func TestOptionsAreValidated(t *testing.T) {
	t.Parallel()
	minus := -1
	for name, opt := range map[string]sheet.Options{
		"format":      {Format: "pdf"},
		"delimiter":   {Delimiter: ",,"},
		"quote":       {Quote: "x"},
		"headerRow":   {HeaderRow: -1},
		"headerRows":  {HeaderRows: 4},
		"sheetIndex":  {SheetIndex: &minus},
		"dateOrder":   {DateOrder: "ydm"},
		"decimalMark": {DecimalMark: "'"},
		"encoding":    {Encoding: "klingon"},

		"skipFooterRows":      {SkipFooterRows: 1001},
		"columns":             {Columns: []sheet.ColumnOptions{{Column: "a"}}},
		"columns.column":      {Columns: []sheet.ColumnOptions{{DateOrder: "dmy"}}},
		"columns.dateOrder":   {Columns: []sheet.ColumnOptions{{Column: "a", DateOrder: "ydm"}}},
		"columns.decimalMark": {Columns: []sheet.ColumnOptions{{Column: "a", DecimalMark: ";"}}},
	} {
		_, err := detect("a,b\n1,2\n", opt)
		require.Equal(t, problem.OptionInvalid, problem.CodeOf(err), name)
		require.Equal(t, name, problem.From(err).Fields[0].Field)
	}
	_, err := detect("a,b\n1,2\n", sheet.Options{HeaderRow: 7})
	require.Equal(t, problem.OptionInvalid, problem.CodeOf(err))
}

func TestOptionsAreFollowed(t *testing.T) {
	t.Parallel()
	d, err := detect("x;y\n'a,b';c\n1,2;3\n", sheet.Options{
		Delimiter: ",", Quote: "none", HeaderRow: 2, DateOrder: sheet.MonthFirst, DecimalMark: ",", Encoding: "ISO-8859-1",
	})
	require.NoError(t, err)
	require.Equal(t, &sheet.Dialect{
		Format: sheet.CSV, Encoding: "iso-8859-1", Delimiter: ",", Quote: "none", LineEnd: "\n",
		HeaderRow: 2, Header: []string{"'a", "b';c"}, RowCells: 2, DateOrder: sheet.MonthFirst, DecimalMark: ",",
	}, d)
}

func TestWrongStatedFormat(t *testing.T) {
	t.Parallel()
	d, err := detect("a,b\n1,2\n", sheet.Options{Format: sheet.XLSX})
	require.NoError(t, err)
	require.Equal(t, sheet.CSV, d.Format)
	require.Equal(t, []string{string(problem.FormatMismatch)}, d.Warnings)
}

func TestTablesResemblingOtherFormats(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"PAR1,PAR2\n3,4\n", "BZhour;x\n1;2\n", "{id},name\n1,Ann\n", "[id],name\n1,Ann\n", "<5,>5\n1,2\n", "%PDF,x\n1,2\n"} {
		d, err := detect(in, sheet.Options{})
		require.NoError(t, err, in)
		require.Equal(t, sheet.CSV, d.Format)
		require.Len(t, d.Header, 2)
		require.EqualValues(t, 1, d.HeaderRow)
	}
}

// An encrypted workbook that opens without a password has the format of its contents, not of its
// container.
func TestFormatOfEncryptedFile(t *testing.T) {
	t.Parallel()
	in := string(xlsxtest.Agile(t, xlsxtest.Workbook(xlsxtest.Header+`<row r="2"><c r="A2"><v>1</v></c></row>`).Bytes(t), "VelvetSweatshop", 10))
	d, err := detect(in, sheet.Options{Format: sheet.XLSX})
	require.NoError(t, err)
	require.Equal(t, sheet.XLSX, d.Format)
	require.Empty(t, d.Warnings)
	require.Equal(t, [][]string{{"2", "1"}}, readAll(t, in, d))
	require.Equal(t, [][]string{{"2", "1"}}, inChunks(t, in, d))
	_, err = detect(string(xlsxtest.Agile(t, []byte("x"), "another", 10)), sheet.Options{})
	require.Equal(t, problem.FileEncrypted, problem.CodeOf(err))
}

// failingSource is a source with one failing read.
type failingSource struct {
	*strings.Reader
	reads, failAt int
}

func (l *failingSource) ReadAt(b []byte, offset int64) (int, error) {
	if l.reads++; l.reads == l.failAt {
		return 0, io.ErrClosedPipe
	}
	return l.Reader.ReadAt(b, offset)
}

// A read error of the source is never reported as an error of the file.
func TestEncryptedFileReadErrors(t *testing.T) {
	t.Parallel()
	in := string(xlsxtest.Agile(t, xlsxtest.Workbook(xlsxtest.Header).Bytes(t), "VelvetSweatshop", 1))
	for fails := 1; ; fails++ {
		src := &failingSource{Reader: strings.NewReader(in), failAt: fails}
		d, err := reader.Detect(context.Background(), src, sheet.Options{}, sheet.DefaultLimits())
		if src.reads < fails {
			require.NoError(t, err)
			require.Equal(t, sheet.XLSX, d.Format)
			break
		}
		require.ErrorIs(t, err, io.ErrClosedPipe, "read %d", fails)
	}
}

func TestFormatFromName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]sheet.Format{
		"a.CSV": sheet.CSV, "b.tsv": sheet.CSV, "c.jsonl": sheet.NDJSON, "d.xlsx": sheet.XLSX, "e.xls": sheet.XLS, "f.pdf": "", "g": "",
	} {
		require.Equal(t, want, reader.FormatFromName(name), name)
	}
}

// TestEncodings reads the same table in every encoding.
func TestEncodings(t *testing.T) {
	t.Parallel()
	const table = "id;name\r\n1;\"Zoë;\r\nÄ\"\r\n\r\n2;Łódź 𝄞\r\n"
	const latin = "id;name\r\n1;\"Zoë;\r\nÄ\"\r\n\r\n2;Fun€\r\n"
	const polish, russian = "id;name\r\n1;\"Łódź;\r\nŻory\"\r\n\r\n2;Świętosław Wąs\r\n", "id;name\r\n1;\"Пётр;\r\nГлеб\"\r\n\r\n2;Щербаков\r\n"
	const greek, french = "id;name\r\n1;\"Ελένη;\r\nΗράκλειο\"\r\n\r\n2;Ιωάννινα\r\n", "id;name\r\n1;\"Éric;\r\nÉvreux\"\r\n\r\n2;Chambéry à Noël\r\n"
	const chinese, kana = "id;name\r\n1;\"欧阳娜;\r\n绍兴\"\r\n\r\n2;等待发票\r\n", "id;name\r\n1;\"早乙女;\r\n岡山県\"\r\n\r\n2;表示ソート能力\r\n"
	tests := []struct {
		name, in string
		opt      sheet.Options
		encoding string
		first    string
		last     string
	}{
		{"UTF-8", table, sheet.Options{}, "utf-8", "Zoë;\r\nÄ", "Łódź 𝄞"},
		{"UTF-8 with a mark", "\uFEFF" + table, sheet.Options{}, "utf-8", "Zoë;\r\nÄ", "Łódź 𝄞"},
		{"UTF-16LE with a mark", toUTF16Or32("\uFEFF"+table, binary.LittleEndian, 2), sheet.Options{}, "utf-16le", "Zoë;\r\nÄ", "Łódź 𝄞"},
		{"UTF-16BE with a mark", toUTF16Or32("\uFEFF"+table, binary.BigEndian, 2), sheet.Options{}, "utf-16be", "Zoë;\r\nÄ", "Łódź 𝄞"},
		{"UTF-16LE", toUTF16Or32(table, binary.LittleEndian, 2), sheet.Options{}, "utf-16le", "Zoë;\r\nÄ", "Łódź 𝄞"},
		{"UTF-16BE", toUTF16Or32(table, binary.BigEndian, 2), sheet.Options{}, "utf-16be", "Zoë;\r\nÄ", "Łódź 𝄞"},
		{"UTF-16 stated", toUTF16Or32(table, binary.LittleEndian, 2), sheet.Options{Encoding: "UTF-16"}, "utf-16le", "Zoë;\r\nÄ", "Łódź 𝄞"},
		{"UTF-32LE with a mark", toUTF16Or32("\uFEFF"+table, binary.LittleEndian, 4), sheet.Options{}, "utf-32le", "Zoë;\r\nÄ", "Łódź 𝄞"},
		{"UTF-32BE with a mark", toUTF16Or32("\uFEFF"+table, binary.BigEndian, 4), sheet.Options{}, "utf-32be", "Zoë;\r\nÄ", "Łódź 𝄞"},
		{"UTF-32LE", toUTF16Or32(table, binary.LittleEndian, 4), sheet.Options{}, "utf-32le", "Zoë;\r\nÄ", "Łódź 𝄞"},
		{"UTF-32BE", toUTF16Or32(table, binary.BigEndian, 4), sheet.Options{}, "utf-32be", "Zoë;\r\nÄ", "Łódź 𝄞"},
		{"Windows-1252", toSingleByte(latin, "ë\xEBÄ\xC4€\x80"), sheet.Options{}, "windows-1252", "Zoë;\r\nÄ", "Fun€"},
		{"code page 850 stated", toSingleByte(latin, "ë\x89Ä\x8E€\xD5"), sheet.Options{Encoding: "IBM850"}, "ibm850", "Zoë;\r\nÄ", "Funı"},
		{"windows-1250", encoded(t, charmap.Windows1250, polish), sheet.Options{}, "windows-1250", "Łódź;\r\nŻory", "Świętosław Wąs"},
		{"windows-1250 stated as its number", encoded(t, charmap.Windows1250, polish), sheet.Options{Encoding: "1250"}, "windows-1250", "Łódź;\r\nŻory", "Świętosław Wąs"},
		{"windows-1251", encoded(t, charmap.Windows1251, russian), sheet.Options{}, "windows-1251", "Пётр;\r\nГлеб", "Щербаков"},
		{"windows-1253", encoded(t, charmap.Windows1253, greek), sheet.Options{}, "windows-1253", "Ελένη;\r\nΗράκλειο", "Ιωάννινα"},
		{"ISO-8859-2", encoded(t, charmap.ISO8859_2, polish), sheet.Options{}, "iso-8859-2", "Łódź;\r\nŻory", "Świętosław Wąs"},
		{"Mac Roman", encoded(t, charmap.Macintosh, french), sheet.Options{}, "macintosh", "Éric;\r\nÉvreux", "Chambéry à Noël"},
		{"GBK", encoded(t, simplifiedchinese.GBK, chinese), sheet.Options{}, "gb18030", "欧阳娜;\r\n绍兴", "等待发票"},
		{"Shift-JIS", encoded(t, japanese.ShiftJIS, kana), sheet.Options{}, "shift_jis", "早乙女;\r\n岡山県", "表示ソート能力"},
		{"ISO-2022-JP", encoded(t, japanese.ISO2022JP, kana), sheet.Options{}, "iso-2022-jp", "早乙女;\r\n岡山県", "表示ソート能力"},
		{"sep line in UTF-16", toUTF16Or32("\uFEFFsep=;\r\n"+table, binary.LittleEndian, 2), sheet.Options{}, "utf-16le", "Zoë;\r\nÄ", "Łódź 𝄞"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := detect(tt.in, tt.opt)
			require.NoError(t, err)
			require.Equal(t, tt.encoding, d.Encoding)
			require.Equal(t, ";", d.Delimiter)
			require.Equal(t, "\r\n", d.LineEnd)
			require.Equal(t, []string{"id", "name"}, d.Header)
			want := [][]string{{"2", "1", tt.first}, {"4", "2", tt.last}}
			require.Equal(t, want, readAll(t, tt.in, d))
			require.Equal(t, want, inChunks(t, tt.in, d))
		})
	}
}

// encoded encodes a text.
func encoded(t *testing.T, e encoding.Encoding, text string) string {
	t.Helper()
	out, err := e.NewEncoder().String(text)
	require.NoError(t, err)
	return out
}

// toUTF16Or32 encodes s in UTF-16 or UTF-32.
func toUTF16Or32(s string, order binary.AppendByteOrder, unit int) string {
	var b []byte
	if unit == 4 {
		for _, r := range s {
			b = order.AppendUint32(b, uint32(r))
		}
		return string(b)
	}
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// toSingleByte replaces each character in pairs by the byte that follows it there.
func toSingleByte(s, pairs string) string {
	for len(pairs) > 0 {
		n := 2
		if strings.HasPrefix(pairs, "€") {
			n = 3
		}
		s = strings.ReplaceAll(s, pairs[:n], pairs[n:n+1])
		pairs = pairs[n+1:]
	}
	return s
}

func readAll(t *testing.T, in string, d *sheet.Dialect) [][]string {
	t.Helper()
	rows, err := reader.Open(context.Background(), strings.NewReader(in), d, sheet.DefaultLimits())
	require.NoError(t, err)
	out := collectRows(rows)
	require.NoError(t, rows.Err())
	return out
}

func inChunks(t *testing.T, in string, d *sheet.Dialect) (out [][]string) {
	t.Helper()
	_, err := reader.Cut(context.Background(), strings.NewReader(in), d, 1, sheet.DefaultLimits(), func(_ context.Context, c sheet.Chunk, body []byte) error {
		if d.RangeReadable() {
			body = []byte(in[c.Offset : c.Offset+c.Length])
		}
		rows, err := reader.OpenChunk(body, d, c, sheet.DefaultLimits())
		require.NoError(t, err)
		out = append(out, collectRows(rows)...)
		return rows.Err()
	})
	require.NoError(t, err)
	return out
}

// collectRows returns each row's number, its error if there is one, and its cells.
func collectRows(rows sheet.Rows) (out [][]string) {
	for rows.Next() {
		r := rows.Row()
		line := []string{strings.TrimSpace(fmt.Sprint(r.Number, " ", r.ErrorCode))}
		for _, c := range r.Cells {
			line = append(line, string(c.Bytes))
		}
		out = append(out, line)
	}
	return out
}

func TestOpenChunkRejectsWrongBody(t *testing.T) {
	t.Parallel()
	in := "a,b\n1,2\n3,4\n"
	d, err := detect(in, sheet.Options{})
	require.NoError(t, err)
	_, err = reader.Cut(context.Background(), strings.NewReader(in), d, 10, sheet.DefaultLimits(), func(_ context.Context, c sheet.Chunk, _ []byte) error {
		for _, body := range []string{"1,2\n3,4", "1,2\n3,5\n", ""} {
			_, err := reader.OpenChunk([]byte(body), d, c, sheet.DefaultLimits())
			require.ErrorContains(t, err, "chunk 0")
			require.Equal(t, problem.Internal, problem.CodeOf(err), "a wrong body is an internal error, not an error of the file")
		}
		return nil
	})
	require.NoError(t, err)
}
