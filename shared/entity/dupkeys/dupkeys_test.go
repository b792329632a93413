package dupkeys_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/dupkeys"
)

// add adds rows with their keys, "" for a missing key, numbered from first.
func add(keys *dupkeys.Keys, first int64, rows ...[]string) {
	c := keys.Chunk(len(rows))
	for i, values := range rows {
		c.AddRow(first+int64(i), func(found func(int, string)) int {
			by := len(values)
			for k, v := range slices.Backward(values) {
				if v != "" {
					found(k, v)
					by = k
				}
			}
			return by
		})
	}
	c.Flush()
}

func TestFindUsesEveryKey(t *testing.T) {
	t.Parallel()
	keys := dupkeys.NewKeys(100)
	add(keys, 2, []string{"1", "a"}, []string{"2", "b"}, []string{"3", ""})
	add(keys, 5, []string{"4", "a"}, []string{"3", "c"}, []string{"b", "4"}, []string{"", ""})
	rows, known := keys.Find()
	require.True(t, known)
	require.Equal(t, []int64{2, 4, 5, 6}, rows, "equal texts in different keys do not match")
}

func TestGroupsAreUnknownForMixedKeys(t *testing.T) {
	t.Parallel()
	within, between := dupkeys.NewKeys(100), dupkeys.NewKeys(100)
	add(within, 2, []string{"1", "a"}, []string{"", "b"})
	add(between, 2, []string{"1", "a"})
	add(between, 3, []string{"", "b"})
	for _, keys := range []*dupkeys.Keys{within, between} {
		_, known := keys.Find()
		require.False(t, known)
	}
}

// Rows that share keys with a third row belong to one group, whichever of them comes first.
func TestRowsWithSharedKeysAreGrouped(t *testing.T) {
	t.Parallel()
	keys := dupkeys.NewKeys(100)
	add(keys, 5, []string{"4", "a"}, []string{"3", "c"}, []string{"", "d"})
	add(keys, 2, []string{"1", "a"}, []string{"2", "b"}, []string{"4", "c"})
	groups, known := keys.Groups()
	require.True(t, known, "rows that use different keys are grouped")
	require.Equal(t, []dupkeys.Group{{Row: 2, First: 2}, {Row: 4, First: 2}, {Row: 5, First: 2}, {Row: 6, First: 2}}, groups)
	add(keys, 8, []string{"5", "d"})
	groups, _ = keys.Groups()
	require.Equal(t, []dupkeys.Group{{Row: 7, First: 7}, {Row: 8, First: 7}}, groups[4:])

	few := dupkeys.NewKeys(1)
	add(few, 2, []string{"1"}, []string{"1"})
	_, known = few.Groups()
	require.False(t, known)
}

func TestGroupsAreUnknownOverLimit(t *testing.T) {
	t.Parallel()
	keys := dupkeys.NewKeys(2)
	add(keys, 2, []string{"1"}, []string{"2"})
	_, known := keys.Find()
	require.True(t, known)
	add(keys, 4, []string{"3"})
	_, known = keys.Find()
	require.False(t, known)
}

// Every row of chunks of several sizes is checked.
func TestEncodeRoundTripsPerChunk(t *testing.T) {
	t.Parallel()
	for _, lines := range []int{1, 7, 8, 9, 40} {
		t.Run(fmt.Sprint(lines), func(t *testing.T) {
			t.Parallel()
			var rows []int64
			twice := make(map[int64]bool)
			for row := range int64(200) {
				if rand.IntN(4) == 0 {
					rows, twice[row] = append(rows, row), true
				}
			}
			for first := int64(0); first < 200; first += int64(lines) {
				r := dupkeys.Decode(first, lines, dupkeys.Encode(rows, first, lines))
				for row := first; row < first+int64(lines); row++ {
					require.Equal(t, twice[row], r.Has(row), "row %d of a chunk from %d", row, first)
				}
			}
		})
	}
}

func TestUnknownChunkMayContainDuplicates(t *testing.T) {
	t.Parallel()
	require.True(t, dupkeys.Decode(2, 1, nil).Has(2))
	require.False(t, dupkeys.Decode(2, 1, []byte{}).Has(2))
	require.True(t, dupkeys.Decode(2, 1, []byte{}).Has(3), "a row outside the decoded chunk may be a duplicate")
}
