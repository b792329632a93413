package mapping

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAssign(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		weights [][]float64
		want    []int
	}{
		"nothing":                             {nil, nil},
		"no possible pair":                    {[][]float64{{0, 0}, {0, 0}}, []int{-1, -1}},
		"more rows than columns":              {[][]float64{{1}, {3}, {2}}, []int{-1, 0, -1}},
		"first come, first served is worse":   {[][]float64{{9, 8}, {8, 0}}, []int{1, 0}},
		"greedy choice is worse":              {[][]float64{{10, 9, 0}, {9, 0, 0}, {0, 8, 1}}, []int{1, 0, 2}},
		"one strong pair beats two weak ones": {[][]float64{{10, 1}, {1, 0}}, []int{0, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, assign(c.weights))
		})
	}
}

// TestAssignIsOptimal compares with all other assignments of small random matrices.
func TestAssignIsOptimal(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		weights := make([][]float64, 1+random.IntN(5))
		columns := 1 + random.IntN(5)
		for i := range weights {
			weights[i] = make([]float64, columns)
			for j := range weights[i] {
				weights[i][j] = float64(max(0, random.IntN(12)-4)) // a third are impossible
			}
		}
		var sum float64
		used := make(map[int]bool)
		for row, column := range assign(weights) {
			if column < 0 {
				continue
			}
			require.False(t, used[column], "column %d is assigned twice in %v", column, weights)
			require.Positive(t, weights[row][column])
			used[column] = true
			sum += weights[row][column]
		}
		require.InDelta(t, bruteForceAssign(weights, 0, map[int]bool{}), sum, 1e-9, "%v", weights)
	}
}

func bruteForceAssign(weights [][]float64, row int, used map[int]bool) float64 {
	if row == len(weights) {
		return 0
	}
	best := bruteForceAssign(weights, row+1, used)
	for column, w := range weights[row] {
		if w > 0 && !used[column] {
			used[column] = true
			best = max(best, w+bruteForceAssign(weights, row+1, used))
			used[column] = false
		}
	}
	return best
}
