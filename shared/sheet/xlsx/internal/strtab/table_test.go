package strtab_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/strtab"
)

func TestTable(t *testing.T) {
	t.Parallel()
	var want []string
	for i := range 50_000 {
		want = append(want, fmt.Sprintf("string number %d", i))
		if i%100 == 0 {
			want = append(want, "")
		}
		if i%10_000 == 0 {
			want = append(want, strings.Repeat(fmt.Sprintf("%d,", i), 40_000)) // crosses pages
		}
	}
	for name, memory := range map[string]int64{"kept": 64 << 20, "partly spilled": 600 << 10, "spilled": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := strtab.New(memory)
			for _, s := range want {
				require.NoError(t, table.Add([]byte(s)))
			}
			require.Equal(t, len(want), table.Len())
			require.Equal(t, memory < 1<<20, table.Spilled())
			order := rand.New(rand.NewPCG(1, 2)).Perm(len(want))
			for i := range want {
				requireString(t, table, i, want[i])
				requireString(t, table, order[i], want[order[i]])
			}
			require.NoError(t, table.Close())
		})
	}
}

// Strings can be read as soon as they are added, while the table grows.
func TestReadWhileAdding(t *testing.T) {
	t.Parallel()
	table := strtab.New(100 << 10)
	var stable [][]byte
	for i := range 30_000 {
		require.NoError(t, table.Add(fmt.Appendf(nil, "%030d", i)))
		requireString(t, table, i, fmt.Sprintf("%030d", i))
		requireString(t, table, i/2, fmt.Sprintf("%030d", i/2))
		s, isStable, err := table.At(i)
		require.NoError(t, err)
		if isStable {
			stable = append(stable, s)
		}
	}
	require.NotEmpty(t, stable)
	for i, s := range stable {
		if i < 100 { // a string that crosses pages is not stable and shifts the rest
			require.Equal(t, fmt.Sprintf("%030d", i), string(s))
		}
	}
	require.NoError(t, table.Close())
}

func requireString(t *testing.T, table *strtab.Table, i int, want string) {
	t.Helper()
	got, _, err := table.At(i)
	require.NoError(t, err)
	if string(got) != want {
		t.Fatalf("string %d is %.50q, not %.50q", i, got, want)
	}
}
