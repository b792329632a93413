package text

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
)

// readEveryWay reads a file as a stream, in blocks of several sizes, and in chunks, which must have
// the same result.
func readEveryWay(t *testing.T, in string) (*sheet.Dialect, []string) {
	t.Helper()
	lim := sheet.DefaultLimits()
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, lim)
	require.NoError(t, err)
	rows, err := Open(context.Background(), bytesSource(in), d, lim)
	require.NoError(t, err)
	got := read(t, rows)
	require.NoError(t, rows.Err())
	for _, block := range []int{1, 2, 3, 7, 64} {
		requireSameInBlocks(t, []byte(in), d, lim, block, got, nil)
	}
	for per := 1; per <= 5; per++ {
		require.Equal(t, got, readChunks(t, in, d, per))
	}
	return d, got
}

func TestStrayQuotes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in   string
		want []string
	}{
		"closed by another one": {"a,b,c\n1,x,\"5 inch\n2,x,y\n3,x,\"6 inch\n4,x,y\n",
			[]string{`2: 1|x|"5 inch !ROW_QUOTE`, "3: 2|x|y", `4: 3|x|"6 inch !ROW_QUOTE`, "5: 4|x|y"}},
		"closed before the end of a cell": {"a,b,c\n1,x,\"5 inch\n2,x,y\n3,x,6\"\n4,x,y\n",
			[]string{`2: 1|x|"5 inch !ROW_QUOTE`, "3: 2|x|y", `4: 3|x|6"`, "5: 4|x|y"}},
		"in the first column": {"a,b,c\n\"1,x,y\n2,x,y\n\"3,x,y\n",
			[]string{`2: "1|x|y !ROW_QUOTE`, "3: 2|x|y", `4: "3|x|y !ROW_QUOTE`}},
		"in the last row": {"a,b,c\n1,x,\"5\n2,x,y\n3,x,\"6",
			[]string{`2: 1|x|"5 !ROW_QUOTE`, "3: 2|x|y", `4: 3|x|"6 !ROW_QUOTE`}},
		"three": {"a,b,c\n1,x,\"5\n2,x,\"6\n3,\"x,7\n4,x,y\n",
			[]string{`2: 1|x|"5 !ROW_QUOTE`, `3: 2|x|"6 !ROW_QUOTE`, `4: 3|"x|7 !ROW_QUOTE`, "5: 4|x|y"}},
		"closed by a quoted cell": {"a,b,c\n1,x,\"5\n2,x,y\n3,\"x, z\",y\n4,x,y\n",
			[]string{`2: 1|x|"5 !ROW_QUOTE`, "3: 2|x|y", "4: 3|x, z|y", "5: 4|x|y"}},
		"closing quote is missing": {"\"a\",\"b\"\n\"1\",\"x\n\"2\",\"y\"\n\"3\",\"z\"\n",
			[]string{`2: 1|"x !ROW_QUOTE`, "3: 2|y", "4: 3|z"}},
		"closing quote is missing within a row": {"\"a\",\"b\"\n\"1,\"x\"\n\"2\",\"y\"\n",
			[]string{`2: 1,x" !ROW_QUOTE`, "3: 2|y"}},
		"CRLF": {"a,b\r\n1,\"x\r\n2,y\r\n3,z\"\r\n4,w\r\n",
			[]string{`2: 1|"x !ROW_QUOTE`, "3: 2|y", `4: 3|z"`, "5: 4|w"}},
		"CR": {"a,b\r1,\"x\r2,y\r3,z\"\r4,w\r", []string{`2: 1|"x !ROW_QUOTE`, "3: 2|y", `4: 3|z"`, "5: 4|w"}},
		"UTF-16": {"\xFF\xFE" + utf16le("a,b\n1,\"x\n2,y\n3,z\"\n4,w\n"),
			[]string{`2: 1|"x !ROW_QUOTE`, "3: 2|y", `4: 3|z"`, "5: 4|w"}},
		"spaces after delimiters": {"a, b\n1, \"x\n2, y\n3, z\"\n4, w\n",
			[]string{`2: 1| "x !ROW_QUOTE`, "3: 2| y", `4: 3| z"`, "5: 4| w"}},
		"one column": {"a\n\"1\n2\n\"3\n4\n", []string{`2: "1 !ROW_QUOTE`, "3: 2", `4: "3 !ROW_QUOTE`, "5: 4"}},
		"empty cells in every row": {"a,b\n1,\"x,\n2,y,\n3,z\",\n4,w,\n",
			[]string{`2: 1|"x| !ROW_QUOTE`, "3: 2|y|", `4: 3|z"|`, "5: 4|w|"}},
		"between ragged rows": {"a,b,c\n1,x,\"5\n2,x\n3,x,y\n4,x,\"6\n",
			[]string{`2: 1|x|"5 !ROW_QUOTE`, "3: 2|x !ROW_WIDTH", "4: 3|x|y", `5: 4|x|"6 !ROW_QUOTE`}},
		"before a text of several lines": {"a,b,c\n1,x,\"5\n2,\"x\ny\",z\n3,x,y\n", []string{`2: 1|x|"5 !ROW_QUOTE`, "3: 2|x\ny|z", "4: 3|x|y"}},
		"before a text with delimiters":  {"a,b,c\n1,x,\"5\n2,\"x\ny, w\",z\n3,x,y\n", []string{`2: 1|x|"5 !ROW_QUOTE`, "3: 2|x\ny, w|z", "4: 3|x|y"}},
		"before a text in the first column": {"a,b,c\r\n1,\"5,x\r\n\"x\r\ny\",z,w\r\n3,x,y\r\n",
			[]string{`2: 1|"5|x !ROW_QUOTE`, "3: x\r\ny|z|w", "4: 3|x|y"}},
		"before a text after spaces": {"a, b, c\n1, x, \"5\n2, \"x\ny\", z\n", []string{`2: 1| x| "5 !ROW_QUOTE`, "3: 2|x\ny| z"}},
		"before an empty text":       {"a,b,c\n1,x,\"5\n2,\"\",z\n3,\"x\ny\",z\n", []string{`2: 1|x|"5 !ROW_QUOTE`, "3: 2||z", "4: 3|x\ny|z"}},
		"quoted word at the beginning of a line": {"a,b,c\n1,x,\"He said:\n\"Yes\" and left\"\n2,x,y\n",
			[]string{`2: 1|x|"He said: !ROW_QUOTE`, `3: Yes and left" !ROW_QUOTE`, "4: 2|x|y"}},
		"after a text of several lines": {"a,b,c\n1,\"x\ny\",\"5\n2,x,y\n3,x,\"6\n4,x,y\n",
			[]string{"2: 1|x\ny|\"5 !ROW_QUOTE", "3: 2|x|y", `4: 3|x|"6 !ROW_QUOTE`, "5: 4|x|y"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, got := readEveryWay(t, tt.in)
			require.Equal(t, tt.want, got)
		})
	}
}

func utf16le(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.Write([]byte{c, 0})
	}
	return b.String()
}

// TestTextsOfSeveralLines: a cell with line ends is one cell, even if it contains delimiters.
func TestTextsOfSeveralLines(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in   string
		want []string
	}{
		"in the middle":   {"a,b,c\n1,\"x\ny\",z\n", []string{"2: 1|x\ny|z"}},
		"letter":          {"name,text\nAda,\"Dear Ada,\nthanks, see you,\nBob\"\n", []string{"2: Ada|Dear Ada,\nthanks, see you,\nBob"}},
		"a comma a line":  {"name,text\nAda,\"Hello Ada\nsee you soon, bye\nYours, Bob\"\n", []string{"2: Ada|Hello Ada\nsee you soon, bye\nYours, Bob"}},
		"addresses":       {"id,name,at\n1,Ada,\"Offices:\nLondon, Baker St, 221b\nParis, Rue X, 5\"\n", []string{"2: 1|Ada|Offices:\nLondon, Baker St, 221b\nParis, Rue X, 5"}},
		"one column":      {"text\n\"x\ny\"\nz\n", []string{"2: x\ny", "3: z"}},
		"two of a row":    {"a,b\n\"x\ny\",\"z\nw\"\n", []string{"2: x\ny|z\nw"}},
		"half of a width": {"a,b,c\n1,\"x\ny\",2\n", []string{"2: 1|x\ny|2"}},
		"blank lines":     {"a,b\n1,\"x\n\n\ny\"\n2,z\n", []string{"2: 1|x\n\n\ny", "3: 2|z"}},
		"white space":     {"a,b\n\"1\" ,\"x\ny\"  \n2,\"z\"\t\n", []string{"2: 1|x\ny", "3: 2|z\t"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, got := readEveryWay(t, tt.in)
			require.Equal(t, tt.want, got)
		})
	}
}

// TestNoRowIsLostByStrayQuotes moves two stray quotes through a file of 60 rows.
func TestNoRowIsLostByStrayQuotes(t *testing.T) {
	t.Parallel()
	const rows = 60
	for first := range rows {
		town := [...]string{"Bath", `"Bath, UK"`}[first%2]
		for second := first + 1; second < rows; second += 7 {
			var b strings.Builder
			b.WriteString("id,name,town,note\n")
			for i := range rows {
				note := "pipe"
				if i == first || i == second {
					note = `"5 inch pipe`
				}
				fmt.Fprintf(&b, "%d,Ann,%s,%s\n", i, town, note)
			}
			in := b.String()
			d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
			require.NoError(t, err)
			got := readChunks(t, in, d, 7)
			require.Len(t, got, rows)
			faulty := slices.DeleteFunc(slices.Clone(got), func(r string) bool { return !strings.HasSuffix(r, "!ROW_QUOTE") })
			require.Equal(t, []string{got[first], got[second]}, faulty)
		}
	}
}

// TestEarlierDialectIsReadAsBefore: the chunks of an import may have been cut by a version that did
// not detect stray quotes.
func TestEarlierDialectIsReadAsBefore(t *testing.T) {
	t.Parallel()
	in := "a,b\n1,\"x\n2,y\n3,\"z\n4,w,\n"
	d := &sheet.Dialect{Format: sheet.CSV, Encoding: "utf-8", LineEnd: "\n", HeaderRow: 1, DataOffset: 4, Header: []string{"a", "b"}}
	rows, err := Open(context.Background(), bytesSource(in), d, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{"2: 1|x\n2,y\n3,z", "3: 4|w|"}, read(t, rows))
}

// TestStrayQuotesTakeLinearTime: every line has a stray quote.
func TestStrayQuotesTakeLinearTime(t *testing.T) {
	t.Parallel()
	const lines = 200_000
	in := "a,b\n" + strings.Repeat("1,\"x\n", lines)
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	counts, err := Cut(context.Background(), bytesSource(in), d, 5000, sheet.DefaultLimits(), sheet.Observer{}, noRows)
	require.NoError(t, err)
	require.EqualValues(t, lines, counts.Rows)
}
