package text

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// bytesSource returns a file in memory.
func bytesSource(s string) sheet.Source { return bytes.NewReader([]byte(s)) }

// read renders every row as "number: cell|cell", followed by "!CODE" for an error.
func read(t *testing.T, rows sheet.Rows) []string {
	t.Helper()
	var out []string
	for rows.Next() {
		out = append(out, render(rows.Row()))
	}
	require.NoError(t, rows.Close())
	return out
}

func render(r *sheet.Row) string {
	var cells []string
	for _, c := range r.Cells {
		cells = append(cells, string(c.Bytes))
	}
	s := strconv.FormatInt(r.Number, 10) + ": " + strings.Join(cells, "|")
	if r.ErrorCode != "" {
		s += " !" + r.ErrorCode
	}
	return s
}

func TestReadCSV(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		header   []string
		want     []string
	}{
		{"plain", "id,name\n1,Ann\n2,Bob\n", []string{"id", "name"}, []string{"2: 1|Ann", "3: 2|Bob"}},
		{"no line end at the end", "id,name\n1,Ann", []string{"id", "name"}, []string{"2: 1|Ann"}},
		{"CRLF", "id,name\r\n1,Ann\r\n", []string{"id", "name"}, []string{"2: 1|Ann"}},
		{"CR", "id,name\r1,Ann\r\r2,Bob", []string{"id", "name"}, []string{"2: 1|Ann", "4: 2|Bob"}},
		{"CR with LF inside quotes", "id,name\r1,\"A\nnn\"\r2,Bob", []string{"id", "name"}, []string{"2: 1|A\nnn", "3: 2|Bob"}},
		{"blank rows are counted", "id,name\n\n1,Ann\n,\n \n\"\",\"\"\n2,Bob\n", []string{"id", "name"}, []string{"3: 1|Ann", "7: 2|Bob"}},
		{"quotes", "id,name\n1,\"Ann, B\"\n2,\"say \"\"hi\"\"\"\n", []string{"id", "name"}, []string{"2: 1|Ann, B", "3: 2|say \"hi\""}},
		{"CRLF inside quotes is kept", "id,name\r\n1,\"A\r\nB\"\r\n2,C\r\n", []string{"id", "name"}, []string{"2: 1|A\r\nB", "3: 2|C"}},
		{"quote inside a cell", "id,size\n1,5\" pipe\n2,6\"\n", []string{"id", "size"}, []string{"2: 1|5\" pipe", "3: 2|6\""}},
		{"text after a closing quote", "id,a\n1,\"x\"y \n2,\"p\" q\"r\"\n", []string{"id", "a"}, []string{"2: 1|xy  !ROW_QUOTE", "3: 2|p q\"r\" !ROW_QUOTE"}},
		{"spaces around quotes", "id,a\n1, \"x,y\" \n2, z\n", []string{"id", "a"}, []string{"2: 1|x,y", "3: 2| z"}},
		{"ragged", "a,b,c\n1,2\n1,2,\n1,2,3,,\n1,2,3,4\n", []string{"a", "b", "c"},
			[]string{"2: 1|2 !ROW_WIDTH", "3: 1|2|", "4: 1|2|3|| !ROW_WIDTH", "5: 1|2|3|4 !ROW_WIDTH"}},
		{"surplus in every row", "a,b\n1,2,\n\n3,4,\n5,,\n", []string{"a", "b"}, []string{"2: 1|2|", "4: 3|4|", "5: 5||"}},
		{"surplus in every row, more in one", "a,b\n1,2,\n3,4,,\n", []string{"a", "b"}, []string{"2: 1|2|", "3: 3|4|| !ROW_WIDTH"}},
		{"surplus in one row", "name,sum,fee,note\nA,1250,,\nB,1250,50,,\n", []string{"name", "sum", "fee", "note"}, []string{"2: A|1250||", "3: B|1250|50|| !ROW_WIDTH"}},
		{"surplus in the only row", "name,sum,fee,note\nB,1250,50,,\n", []string{"name", "sum", "fee", "note"}, []string{"2: B|1250|50|| !ROW_WIDTH"}},
		{"surplus in the header", "a,b,\n1,2\n3,4,\n5,6,,\n", []string{"a", "b", ""}, []string{"2: 1|2", "3: 3|4|", "4: 5|6|| !ROW_WIDTH"}},
		{"trailing blank header", "a,b,\n1,2\n1,2,3\n", []string{"a", "b", ""}, []string{"2: 1|2", "3: 1|2|3"}},
		{"semicolon", "a;b\n1,5;2\n3,5;4\n", []string{"a", "b"}, []string{"2: 1,5|2", "3: 3,5|4"}},
		{"tab", "a\tb\n1\t2\n", []string{"a", "b"}, []string{"2: 1|2"}},
		{"pipe", "a|b\n1|2\n", []string{"a", "b"}, []string{"2: 1|2"}},
		{"sep line", "sep=;\r\na;b\r\n1;2\r\n", []string{"a", "b"}, []string{"2: 1|2"}},
		{"byte order mark", "\uFEFF\"id\",name\n1,Ann\n", []string{"id", "name"}, []string{"2: 1|Ann"}},
		{"title above the header", "Members 2026\n\nid,name\n1,Ann\n2,Bob\n", []string{"id", "name"}, []string{"4: 1|Ann", "5: 2|Bob"}},
		{"apostrophes", "'id','name'\n'1','Ann, B'\n", []string{"id", "name"}, []string{"2: 1|Ann, B"}},
		{"one column", "name\nAnn\nBob\n", []string{"name"}, []string{"2: Ann", "3: Bob"}},
		{"header only", "id,name\n", []string{"id", "name"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, lim := context.Background(), sheet.DefaultLimits()
			src := bytesSource(tt.in)
			d, err := Detect(ctx, src, sheet.Options{}, lim)
			require.NoError(t, err)
			require.Equal(t, tt.header, d.Header)
			rows, err := Open(ctx, src, d, lim)
			require.NoError(t, err)
			require.Equal(t, tt.want, read(t, rows))
			require.NoError(t, rows.Err())
			c := rows.Counts()
			require.Equal(t, c.Lines, c.Rows+c.Blank+c.Header)
			for per := 1; per <= 3; per++ {
				require.Equal(t, tt.want, readChunks(t, tt.in, d, per))
			}
		})
	}
}

// readChunks cuts the text and reads each chunk.
func readChunks(t *testing.T, in string, d *sheet.Dialect, per int) []string {
	t.Helper()
	ctx, lim := context.Background(), sheet.DefaultLimits()
	var out []string
	next := max(int64(d.BOM), d.DataOffset)
	_, err := Cut(ctx, bytesSource(in), d, per, lim, sheet.Observer{}, func(_ context.Context, c sheet.Chunk, body []byte) error {
		if d.RangeReadable() {
			require.Nil(t, body)
			require.Equal(t, next, c.Offset)
			next += c.Length
			body = []byte(in[c.Offset : c.Offset+c.Length])
		}
		require.Equal(t, sheet.Checksum(body), c.CRC32C)
		require.LessOrEqual(t, c.Rows, per)
		out = append(out, readChunk(t, body, d, c)...)
		return nil
	})
	require.NoError(t, err)
	return out
}

func readChunk(t *testing.T, body []byte, d *sheet.Dialect, c sheet.Chunk) []string {
	t.Helper()
	open := OpenChunk
	if !d.RangeReadable() {
		open = func(body []byte, _ *sheet.Dialect, c sheet.Chunk, _ sheet.Limits) (sheet.Rows, error) {
			return sheet.NewPackReader(body, c)
		}
	}
	rows, err := open(body, d, c, sheet.DefaultLimits())
	require.NoError(t, err)
	out := read(t, rows)
	require.NoError(t, rows.Err())
	require.Equal(t, int64(c.Rows), rows.Counts().Rows)
	require.Equal(t, int64(c.Lines), rows.Counts().Lines)
	return out
}

func TestFileErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200_000)
	tests := []struct {
		name, in string
		code     problem.Code
		says     string
	}{
		{"empty", "", problem.FileEmpty, ""},
		{"blank", "\n \n\n", problem.FileEmpty, ""},
		{"unclosed quote", "a,b\n1,2\n3,\"4\n5,6\n", problem.FileCorrupt, "row 3"},
		{"unclosed quote, long", "a,b\n1,2\n3,\"4\n5,6\n" + long, problem.FileCorrupt, "row 3"},
		{"name of a column too large", "a," + long + "\n1,2\n", problem.FieldTooLarge, "row 1"},
		{"quoted cell without end", "a,b\n1,2\n3,\"" + strings.Repeat("x,", 12<<20) + "\"\n", problem.FieldTooLarge, "row 3"},
		{"line without end", "a,b\n1,2\n" + strings.Repeat("x,", 12<<20), problem.FieldTooLarge, "Row 3"},
		{"invalid UTF-8 behind UTF-8", "ä,b\n" + strings.Repeat("1,2\n", 1<<20) + "\xE4,2\n" + strings.Repeat("1,2\n", 1<<20), problem.EncodingInvalid, "Row 1048578"},
		{"JSON array", `[{"a":1}]`, problem.UnsupportedFormat, "NDJSON"},
		{"JSON document", "{\n  \"a\": 1\n}\n", problem.UnsupportedFormat, "NDJSON"},
		{"too many columns", strings.Repeat("a,", 500) + "b\n", problem.TooManyColumns, "row 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, lim := context.Background(), sheet.DefaultLimits()
			d, err := Detect(ctx, bytesSource(tt.in), sheet.Options{}, lim)
			if err == nil {
				_, err = Cut(ctx, bytesSource(tt.in), d, 5000, lim, sheet.Observer{}, func(context.Context, sheet.Chunk, []byte) error { return nil })
				rows, openErr := Open(ctx, bytesSource(tt.in), d, lim)
				require.NoError(t, openErr)
				for rows.Next() {
				}
				require.Equal(t, err, rows.Err(), "splitting and reading have the same error")
			}
			require.Equal(t, tt.code, problem.CodeOf(err), "%v", err)
			require.ErrorContains(t, err, tt.says)
		})
	}
}

// TestCellTooLargeIsRowError: the rows around it are read.
func TestCellTooLargeIsRowError(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 140_000)
	for name, in := range map[string]string{
		"plain":       "id,body\n1,a\n2," + long + "\n3,b\n",
		"quoted":      "id,body\n1,a\n2,\"" + long + "\n" + long + "\"\n3,b\n",
		"first row":   "id,body\n1," + long + "\n2,b\n",
		"NDJSON":      `{"id":1,"body":"a"}` + "\n" + `{"id":2,"body":"` + long + `"}` + "\n" + `{"id":3,"body":"b"}`,
		"long line":   "id,body\n1,a\n2," + strings.Repeat("\"", 2*140_000) + "\n3,b\n",
		"within rows": "id,body\n1,a\n2,\"" + long + "\n3,\"b\"\n4,c\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
			require.NoError(t, err)
			require.Equal(t, []string{"id", "body"}, d.Header)
			rows, err := Open(context.Background(), bytesSource(in), d, sheet.DefaultLimits())
			require.NoError(t, err)
			got := read(t, rows)
			require.NoError(t, rows.Err())
			for per := 1; per <= 3; per++ {
				require.Equal(t, got, readChunks(t, in, d, per))
			}
			tooLarge := 0
			for _, row := range got {
				require.Less(t, len(row), 100, "the text is omitted")
				if strings.HasSuffix(row, ":  !FIELD_TOO_LARGE") {
					tooLarge++
				}
			}
			require.Equal(t, 1, tooLarge, got)
			require.GreaterOrEqual(t, len(got), 2)
		})
	}
}
