package text

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// tightLimits returns limits that small inputs reach.
func tightLimits() sheet.Limits {
	lim := sheet.DefaultLimits()
	lim.CellBytes, lim.Columns, lim.Rows = 64, 8, 50
	return lim
}

// FuzzCSV reads any bytes as CSV in every possible way, with the same result: whole, in blocks of
// any size, and in chunks of any number of rows.
func FuzzCSV(f *testing.F) {
	for _, in := range []string{
		"a,b\n1,2\n", "a;b\r\n\"1;\r\n2\";3\r\n", "a\tb\r\"x\"\"y\"\t2\r\r", "sep=|\na|b\n1|2", "\uFEFFid\n\"", "'a','b'\n'1','2'\n",
		"t\n\na,b,c\n1,2\n1,2,3,4\n,,\n \"x\" , \"y\"z,\n", "a,b\n\xFF,1\n", "a\x00b,c\n", "a,b\n" + strings.Repeat("x", 70) + ",1\n", "\"\"\n\"\"\"\"\n",
		"a,b\n1,\"x\n2,y\n3,\"z\n4,w\n", "a,b\n1,\"x\n2,y\n3,z\"\n4,\"w\n", "a,b,c\n1,\"x\ny\",\"5\n2,x,y\n3,x,\"6\n", "a\n\"1\n2\n\"3\n", "a,b\n1,2,\n\"3,4,\n5,6\",\n",
	} {
		f.Add([]byte(in), byte(3), byte(2))
	}
	f.Fuzz(func(t *testing.T, in []byte, block, per byte) {
		lim := tightLimits()
		d, err := Detect(context.Background(), bytes.NewReader(in), sheet.Options{Format: sheet.CSV}, lim)
		if err != nil {
			require.NotEqual(t, problem.Internal, problem.CodeOf(err), "%v", err)
			return
		}
		require.LessOrEqual(t, len(d.Header), lim.Columns)
		want, counts, err := renderRows(Open(context.Background(), bytes.NewReader(in), d, lim))
		require.Equal(t, counts.Lines, counts.Rows+counts.Blank+counts.Header)
		requireSameInBlocks(t, in, d, lim, int(block)+1, want, err)
		requireSameInChunks(t, in, d, lim, int(per)+1, want, counts, err)
	})
}

// renderRows renders all rows of a stream.
func renderRows(rows sheet.Rows, err error) ([]string, sheet.Counts, error) {
	if err != nil {
		return nil, sheet.Counts{}, err
	}
	var out []string
	for rows.Next() {
		out = append(out, render(rows.Row()))
	}
	return out, rows.Counts(), rows.Err()
}

func requireSameInBlocks(t *testing.T, in []byte, d *sheet.Dialect, lim sheet.Limits, block int, want []string, wantErr error) {
	t.Helper()
	opened, err := Open(context.Background(), bytes.NewReader(in), d, lim)
	if err != nil {
		require.Equal(t, wantErr, err)
		return
	}
	r := opened.(*rows)
	if r.scan.buf != nil {
		return // rows above the header were already read
	}
	r.scan.block = block
	got, _, err := renderRows(r, nil)
	require.Equal(t, problem.CodeOf(wantErr), problem.CodeOf(err))
	require.Equal(t, want, got)
}

func requireSameInChunks(t *testing.T, in []byte, d *sheet.Dialect, lim sheet.Limits, per int, want []string, wantCounts sheet.Counts, wantErr error) {
	t.Helper()
	var got []string
	next, number := max(int64(d.BOM), d.DataOffset), d.HeaderRow+1
	counts, err := Cut(context.Background(), bytes.NewReader(in), d, per, lim, sheet.Observer{}, func(_ context.Context, c sheet.Chunk, body []byte) error {
		require.Equal(t, number, c.FirstRow)
		number += int64(c.Lines)
		open := func() (sheet.Rows, error) { return sheet.NewPackReader(body, c) }
		if d.RangeReadable() {
			require.Equal(t, next, c.Offset)
			next += c.Length
			body = in[c.Offset:next]
			open = func() (sheet.Rows, error) { return OpenChunk(body, d, c, lim) }
		}
		require.Equal(t, sheet.Checksum(body), c.CRC32C)
		rows, chunkCounts, err := renderRows(open())
		require.NoError(t, err)
		require.EqualValues(t, c.Rows, chunkCounts.Rows)
		require.EqualValues(t, c.Lines, chunkCounts.Lines)
		got = append(got, rows...)
		return nil
	})
	require.Equal(t, problem.CodeOf(wantErr), problem.CodeOf(err))
	if wantErr == nil {
		require.Equal(t, want, got)
		require.Equal(t, wantCounts, counts)
	}
}

// FuzzAgainstEncodingCSV compares with encoding/csv, except for the known differences: it rejects
// quotes in unusual places, rewrites CRLF inside quotes, ends rows at LF only, and treats a row of
// spaces as data.
func FuzzAgainstEncodingCSV(f *testing.F) {
	for _, in := range []string{"a,b\n1,2\n", "\"a\n\",\"b\"\"c\"\n\n1,\"2,3\"", ",\n1,\n", "a,b\r\n1,2\r\n"} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if !utf8.Valid(in) || bytes.Contains(in, []byte("\r")) {
			return
		}
		r := csv.NewReader(bytes.NewReader(in))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil || bytes.Contains(in, []byte(", ")) || bytes.HasPrefix(in, []byte(" ")) || bytes.Contains(in, []byte("\n ")) {
			return
		}
		lim := sheet.DefaultLimits()
		g := grammar{delim: ',', quote: '"', quotes: true, eol: '\n'}
		split := newTable(g, nil, 0, lim)
		s := scanBytes(in, g, 0, lim, split)
		s.quoting.strict = true
		for _, record := range want {
			if strings.Trim(strings.Join(record, ""), " \t") == "" {
				continue
			}
			for ok := s.next(); ok && g.isBlank(s.row); ok = s.next() {
			}
			split.split(s.row, s.quoted)
			var got []string
			for _, c := range split.out {
				got = append(got, string(c.Bytes))
			}
			kept := min(len(record), lim.Columns)
			require.Equal(t, record[:kept], got)
			require.Equal(t, strings.Trim(strings.Join(record[kept:], ""), " \t") != "", split.hasExcess)
		}
		require.NoError(t, s.err)
	})
}

// FuzzNDJSON compares with encoding/json, and reading the whole file with reading chunks.
func FuzzNDJSON(f *testing.F) {
	for _, in := range []string{
		"{\"a\":1,\"b\":\"x\\u00e4\\ud834\\udd1e\"}\n\n{\"a\":null,\"c\":[1,{\"d\":2}]}\n", "{\"a\":\"\\ud800\"}\n{", "{\"a\":1,\"a\":2}\n[1]\n", "{ \"a\" : 1e400 , \"\\n\" : true }",
		"{\"a\":{\"b\":{\"c\":1},\"\":2,\"d\":{}},\"x\":0}\n{\"a\":null,\"a.b.c\":3}\n", "{\"a.b\":1,\"a\":{\"b\":2}}\n",
	} {
		f.Add([]byte(in), byte(1))
	}
	f.Fuzz(func(t *testing.T, in []byte, per byte) {
		lim := sheet.DefaultLimits()
		d, err := Detect(context.Background(), bytes.NewReader(in), sheet.Options{Format: sheet.NDJSON}, lim)
		if err != nil {
			require.NotEqual(t, problem.Internal, problem.CodeOf(err), "%v", err)
			return
		}
		want, counts, err := renderRows(Open(context.Background(), bytes.NewReader(in), d, lim))
		requireSameInChunks(t, in, d, lim, int(per)+1, want, counts, err)
		if d.Encoding == "utf-8" {
			requireSameObjects(t, in[d.BOM:], d, lim)
		}
	})
}

func requireSameObjects(t *testing.T, in []byte, d *sheet.Dialect, lim sheet.Limits) {
	t.Helper()
	s := scanBytes(in, grammarOf(d), 0, lim, newObjects(nil, true, lim))
	o := newObjects(d.Header, true, lim)
	for s.next() {
		cells, code := o.cells(s.row, nil)
		var object map[string]any
		dec := json.NewDecoder(bytes.NewReader(s.row))
		dec.UseNumber()
		if err := dec.Decode(&object); code == "" && !s.isBlank(s.row) {
			require.NoError(t, err)
			_, err = dec.Token()
			require.Equal(t, io.EOF, err)
			for i, key := range d.Header {
				requireSameValue(t, valueAt(object, key, maxDepth), cells[i])
			}
		}
	}
}

// valueAt returns an object's value under a path of keys, each of which may contain points.
func valueAt(object map[string]any, path string, depth int) any {
	if v, ok := object[path]; ok {
		return v
	}
	for i := range path {
		if inner, ok := object[path[:i]].(map[string]any); ok && path[i] == '.' && depth > 0 {
			if v := valueAt(inner, path[i+1:], depth-1); v != nil {
				return v
			}
		}
	}
	return nil
}

func requireSameValue(t *testing.T, want any, got sheet.Cell) {
	t.Helper()
	switch want := want.(type) {
	case nil:
		require.Equal(t, sheet.Empty, got.Kind)
	case string:
		require.Equal(t, want, string(got.Bytes))
	case json.Number:
		require.Equal(t, sheet.Cell{Kind: sheet.Number, Bytes: []byte(want)}, got)
	case bool:
		require.Equal(t, sheet.Bool, got.Kind)
		require.Equal(t, want, string(got.Bytes) == "true")
	default:
		require.Equal(t, sheet.JSON, got.Kind)
		var nested any
		dec := json.NewDecoder(bytes.NewReader(got.Bytes))
		dec.UseNumber()
		require.NoError(t, dec.Decode(&nested))
		require.Equal(t, want, nested)
	}
}

// FuzzDetect passes any bytes to Detect and reads them with the result.
func FuzzDetect(f *testing.F) {
	for _, in := range []string{
		"a,b\n1,2\n", "\xFF\xFEa\x00\n\x00", "\x00a\x00\n\x00b\x00\n", "\xFE\xFF\xD8\x00", "a\x00\x00\x00\n\x00\x00\x00", "{\"a\":1}\n", "\xE4;\xF6\n1;2\n", "[{\"a\":1}]",
		"\xA3;W\xB9s\n1;2\n", "\xC7\xE2|\xE4\xE0\n", "|\x8F\xAC|,|\x8A}|\n", "\xCF\xD5;\xB3\xC7\n", "a\x1B$B;u\x1B(B\n",
	} {
		f.Add([]byte(in), "")
	}
	f.Add([]byte("a,b\n\x8E,2\n"), "shift_jis")
	f.Fuzz(func(t *testing.T, in []byte, encoding string) {
		lim := tightLimits()
		d, err := Detect(context.Background(), bytes.NewReader(in), sheet.Options{Encoding: encoding}, lim)
		if err == nil {
			_, _, err = renderRows(Open(context.Background(), bytes.NewReader(in), d, lim))
		}
		require.NotEqual(t, problem.Internal, problem.CodeOf(err), "%v", err)
	})
}

// next finds the next row and returns false at the end or at an error.
func (s *scanner) next() bool {
	for !s.scan() {
		if !s.fill() {
			return false
		}
	}
	return true
}
