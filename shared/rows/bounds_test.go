package rows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestBoundsAreExact(t *testing.T) {
	t.Parallel()
	b, err := newBounds(&entity.Field{Kind: entity.Decimal, Min: "0.001", Max: "100000"})
	require.NoError(t, err)
	for text, want := range map[string]problem.Code{
		"0.001": "", "100000": "", "99999.999999999999999999999999": "",
		"0": problem.CellTooSmall, "-5": problem.CellTooSmall, "0.00099999999999999999999": problem.CellTooSmall,
		"100000.00000000000000000000001": problem.CellTooLarge, "1000000": problem.CellTooLarge,
	} {
		column := entity.NewColumn(entity.Decimal, 1)
		column.AppendText([]byte(text))
		require.Equal(t, want, b.check(&column), text)
	}
	whole, err := newBounds(&entity.Field{Kind: entity.Integer, Min: "1"})
	require.NoError(t, err)
	for n, want := range map[int64]problem.Code{1: "", 1 << 62: "", 0: problem.CellTooSmall, -1 << 62: problem.CellTooSmall} {
		column := entity.NewColumn(entity.Integer, 1)
		column.AppendInt64(n)
		require.Equal(t, want, whole.check(&column), "%d", n)
	}
	_, err = newBounds(&entity.Field{Name: "F", Max: "much"})
	require.ErrorContains(t, err, "F")
}
