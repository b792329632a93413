package book_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
)

// text adds a text cell.
func text(b *book.Builder, column int, s string) error {
	start := len(b.Text)
	b.Text = append(b.Text, s...)
	return b.SetCell(column, b.Cell(sheet.Text, start))
}

func TestBuilder(t *testing.T) {
	t.Parallel()
	b := book.NewBuilder(10, sheet.Limits{Columns: 5, CellBytes: 3})
	b.Begin(7)
	require.True(t, b.IsBlank())
	require.NoError(t, text(b, 2, "c"))
	require.NoError(t, text(b, 0, "a"))
	require.NoError(t, text(b, 9, ""), "an empty cell beyond the limit is ignored")
	require.False(t, b.IsBlank())
	require.Equal(t, &sheet.Row{Number: 7, Cells: []sheet.Cell{
		{Kind: sheet.Text, Bytes: []byte("a")}, {}, {Kind: sheet.Text, Bytes: []byte("c")},
	}}, b.Row())

	require.Equal(t, problem.FileCorrupt, problem.CodeOf(text(b, 0, "b")), "twice")
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(text(b, 9, "")), "a duplicate cell without a value is an error")
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(text(b, 10, "")), "column above the maximum")
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(text(b, -1, "")), "negative column")
	require.Equal(t, problem.TooManyColumns, problem.CodeOf(text(b, 5, "x")))

	b.Begin(8)
	require.True(t, b.IsBlank())
	require.NoError(t, text(b, 1, "new"))
	require.Equal(t, []sheet.Cell{{}, {Kind: sheet.Text, Bytes: []byte("new")}}, b.Row().Cells, "the previous row's cells are cleared")

	b.Begin(9)
	require.NoError(t, text(b, 0, "long"))
	require.False(t, b.IsBlank())
	require.NoError(t, text(b, 1, "b"))
	require.Equal(t, &sheet.Row{Number: 9, Cells: []sheet.Cell{}, ErrorCode: string(problem.FieldTooLarge)}, b.Row())
	b.Begin(10)
	require.NoError(t, text(b, 0, "abc"))
	require.Empty(t, b.Row().ErrorCode)
}

// Cells keep their contents when the text is reallocated.
func TestBuilderCellsSurviveGrowth(t *testing.T) {
	t.Parallel()
	b := book.NewBuilder(256, sheet.Limits{Columns: 256, CellBytes: 8 << 20})
	b.Begin(1)
	for column := range 256 {
		require.NoError(t, text(b, column, string(bytes.Repeat([]byte{byte(column)}, 100))))
	}
	for column, c := range b.Row().Cells {
		require.Equal(t, bytes.Repeat([]byte{byte(column)}, 100), c.Bytes)
	}
}

func TestBuilderLimitsRow(t *testing.T) {
	t.Parallel()
	b := book.NewBuilder(256, sheet.Limits{Columns: 256, CellBytes: 8 << 20})
	b.Begin(1)
	half := string(make([]byte, 8<<20))
	require.NoError(t, text(b, 0, half))
	require.NoError(t, text(b, 1, half))
	require.Equal(t, problem.FieldTooLarge, problem.CodeOf(text(b, 2, "x")))
}
