package changeset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

func TestTallyColumnCounts(t *testing.T) {
	t.Parallel()
	tally := changeset.NewTally(sampleChanges())
	tally.Add(changeset.NewTally(sampleChanges()))
	require.Equal(t, changeset.Counts{Created: 4, Updated: 10}, tally["users"].Counts)
	require.Equal(t, changeset.Counts{Deleted: 2}, tally["persons"].Counts)
	require.Equal(t, &changeset.ColumnTally{Changed: 2, Emptied: 2}, tally["users"].Columns["name"])
	require.Equal(t, &changeset.ColumnTally{Changed: 2, Filled: 2}, tally["users"].Columns["role"])
	require.Equal(t, &changeset.ColumnTally{}, tally["persons"].Columns["first_name"])
}

func TestRelativeChange(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]float64{
		{"100", "110"}: 0.1, {"10.00", "5"}: -0.5, {"-4", "-2"}: 0.5, {"1e2", "300"}: 2, {"7", "7.0"}: 0, {"5", "-5"}: -2,
	} {
		got, ok := changeset.RelativeChange(pair[0], pair[1])
		require.True(t, ok, pair)
		require.InDelta(t, want, got, 1e-12, pair)
	}
	for _, pair := range [][2]string{{"0", "7"}, {"a", "7"}, {"7", ""}, {"NaN", "1"}, {"1", "NaN"}, {"Inf", "1"}, {"1e-300", "1e300"}} {
		_, ok := changeset.RelativeChange(pair[0], pair[1])
		require.False(t, ok, pair)
	}
}

func TestRowRange(t *testing.T) {
	t.Parallel()
	first, last := changeset.RowRange(sampleChanges())
	require.Equal(t, [2]int64{5, 8}, [2]int64{first, last})
	first, last = changeset.RowRange(sampleChanges()[3:4])
	require.Equal(t, [2]int64{}, [2]int64{first, last})
}
