package sheet_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
)

// fixedRows is a stream of rows in memory.
type fixedRows struct {
	rows   []sheet.Row
	at     int
	header int64
	err    error
}

func (f *fixedRows) Next() bool      { f.at++; return f.at <= len(f.rows) }
func (f *fixedRows) Row() *sheet.Row { return &f.rows[f.at-1] }
func (f *fixedRows) Err() error      { return f.err }
func (f *fixedRows) Close() error    { return nil }
func (f *fixedRows) Counts() sheet.Counts {
	return sheet.Counts{Header: f.header}
}

func someRows() []sheet.Row {
	cell := func(k sheet.Kind, s string) sheet.Cell { return sheet.Cell{Kind: k, Bytes: []byte(s)} }
	return []sheet.Row{
		{Number: 3, Cells: []sheet.Cell{cell(sheet.Text, "Zoë"), {}, cell(sheet.Number, "0.1"), {Kind: sheet.Formatted, Bytes: sheet.AppendDisplayText([]byte("412.5"), []byte("00413"))}}},
		{Number: 4, Cells: []sheet.Cell{cell(sheet.Formula, "")}, ErrorCode: "ROW_WIDTH"},
		{Number: 1_000_000, Cells: []sheet.Cell{cell(sheet.Text, string(make([]byte, 300)))}},
		{Number: 1_000_001, Cells: nil},
	}
}

func collect(t *testing.T, rows sheet.Rows) []sheet.Row {
	t.Helper()
	var out []sheet.Row
	for rows.Next() {
		r := *rows.Row()
		r.Cells = append([]sheet.Cell(nil), r.Cells...)
		out = append(out, r)
	}
	require.NoError(t, rows.Err())
	return out
}

func requireSameRows(t *testing.T, want, got []sheet.Row) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i].Number, got[i].Number)
		require.Equal(t, want[i].ErrorCode, got[i].ErrorCode)
		require.Len(t, got[i].Cells, len(want[i].Cells))
		for j, c := range want[i].Cells {
			require.Equal(t, c.Kind, got[i].Cells[j].Kind)
			require.Equal(t, string(c.Bytes), string(got[i].Cells[j].Bytes))
		}
	}
}

func TestCutRows(t *testing.T) {
	t.Parallel()
	for per := 1; per <= 5; per++ {
		var got []sheet.Row
		next, index := int64(3), 0
		_, err := sheet.CutRows(context.Background(), &fixedRows{rows: someRows(), header: 2}, per, func(_ context.Context, c sheet.Chunk, body []byte) error {
			require.Equal(t, index, c.Index)
			require.Equal(t, next, c.FirstRow)
			require.EqualValues(t, len(body), c.Length)
			require.Equal(t, sheet.Checksum(body), c.CRC32C)
			rows, err := sheet.NewPackReader(append([]byte(nil), body...), c)
			require.NoError(t, err)
			read := collect(t, rows)
			require.Len(t, read, c.Rows)
			require.Equal(t, sheet.Counts{Lines: int64(c.Lines), Rows: int64(c.Rows), Blank: int64(c.Lines - c.Rows)}, rows.Counts())
			got = append(got, read...)
			next, index = c.FirstRow+int64(c.Lines), index+1
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, int64(1_000_002), next)
		requireSameRows(t, someRows(), got)
	}
}

func TestCutRowsEndsChunksBySize(t *testing.T) {
	t.Parallel()
	big := sheet.Cell{Kind: sheet.Text, Bytes: make([]byte, sheet.MaxChunkBytes/2)}
	in := &fixedRows{rows: []sheet.Row{{Number: 1, Cells: []sheet.Cell{big}}, {Number: 2, Cells: []sheet.Cell{big}}, {Number: 3, Cells: []sheet.Cell{big}}}}
	var sizes []int
	_, err := sheet.CutRows(context.Background(), in, 5000, func(_ context.Context, c sheet.Chunk, _ []byte) error {
		sizes = append(sizes, c.Rows)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, sizes)
}

func TestCutRowsStops(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := sheet.CutRows(context.Background(), &fixedRows{rows: someRows(), err: broken}, 100, func(context.Context, sheet.Chunk, []byte) error {
		t.Error("a chunk of an invalid file was written")
		return nil
	})
	require.ErrorIs(t, err, broken)
	_, err = sheet.CutRows(context.Background(), &fixedRows{rows: someRows()}, 1, func(context.Context, sheet.Chunk, []byte) error { return broken })
	require.ErrorIs(t, err, broken)
}

func TestDamagedPack(t *testing.T) {
	t.Parallel()
	_, err := sheet.NewPackReader([]byte("LBP"), sheet.Chunk{})
	require.Error(t, err)
	var w sheet.PackWriter
	for _, r := range someRows() {
		w.Add(&r)
	}
	body := w.Bytes()
	rows, err := sheet.NewPackReader(body[:len(body)-1], sheet.Chunk{Index: 7, Rows: 4})
	require.NoError(t, err)
	for rows.Next() {
	}
	require.ErrorContains(t, rows.Err(), "chunk 7")
}

// FuzzPack reads any bytes as a pack, and reads valid packs a second time after writing them.
func FuzzPack(f *testing.F) {
	var w sheet.PackWriter
	for _, r := range someRows() {
		w.Add(&r)
	}
	f.Add(w.Bytes())
	f.Add([]byte("LBP1\x01\x02\x00\x01\x03\x01x"))
	f.Add([]byte("LBP1\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"))
	f.Fuzz(func(t *testing.T, body []byte) {
		rows, err := sheet.NewPackReader(body, sheet.Chunk{})
		if err != nil {
			return
		}
		var w sheet.PackWriter
		for rows.Next() {
			w.Add(rows.Row())
		}
		first, err := sheet.NewPackReader(body, sheet.Chunk{Rows: w.Rows()})
		require.NoError(t, err)
		for first.Next() {
		}
		if first.Err() != nil || w.Rows() == 0 {
			return
		}
		first, err = sheet.NewPackReader(body, sheet.Chunk{Rows: w.Rows()})
		require.NoError(t, err)
		again, err := sheet.NewPackReader(w.Bytes(), sheet.Chunk{Rows: w.Rows()})
		require.NoError(t, err)
		requireSameRows(t, collect(t, first), collect(t, again))
	})
}

func BenchmarkPackReader(b *testing.B) {
	var w sheet.PackWriter
	row := sheet.Row{Cells: make([]sheet.Cell, 7)}
	for i := range row.Cells {
		row.Cells[i] = sheet.Cell{Kind: sheet.Text, Bytes: []byte("abcdefghij")}
	}
	for range 5000 {
		row.Number++
		w.Add(&row)
	}
	b.SetBytes(int64(w.Len()))
	for b.Loop() {
		rows, err := sheet.NewPackReader(w.Bytes(), sheet.Chunk{Rows: 5000})
		require.NoError(b, err)
		for rows.Next() {
		}
	}
}
