package mapping

import "math"

// assign assigns each row at most one column and each column at most one row, so that the sum
// of the weights is maximal: the Hungarian method with potentials, in O(rows² × columns). A
// weight of 0 or less marks an impossible pair. It returns the column of each row, or -1.
func assign(weights [][]float64) []int {
	rows := len(weights)
	if rows == 0 {
		return nil
	}
	// For each row, a further column of weight 0 represents "none".
	columns := len(weights[0])
	h := hungarian{
		weights: weights, columns: columns + rows,
		rowPotential: make([]float64, rows+1), columnPotential: make([]float64, columns+rows+1),
		owner: make([]int, columns+rows+1), previous: make([]int, columns+rows+1),
	}
	for i := 1; i <= rows; i++ {
		h.assignRow(i)
	}
	out := make([]int, rows)
	for i := range out {
		out[i] = -1
	}
	for j := 1; j <= columns; j++ {
		if i := h.owner[j]; i > 0 && weights[i-1][j-1] > 0 {
			out[i-1] = j - 1
		}
	}
	return out
}

// hungarian is the state of the method. Rows and columns count from 1; 0 is the start of each
// search.
type hungarian struct {
	weights                       [][]float64
	columns                       int
	rowPotential, columnPotential []float64
	owner                         []int // by column: its row, or 0
	previous                      []int // by column: its predecessor in the search
}

func (h *hungarian) cost(row, column int) float64 {
	if column > len(h.weights[row-1]) {
		return 0
	}
	return -max(0, h.weights[row-1][column-1])
}

// assignRow finds the cheapest way to assign the row a column, moving the others.
func (h *hungarian) assignRow(row int) {
	h.owner[0] = row
	least, seen := make([]float64, h.columns+1), make([]bool, h.columns+1)
	for j := range least {
		least[j] = math.Inf(1)
	}
	column := 0
	for h.owner[column] != 0 {
		column = h.advance(column, least, seen)
	}
	for column != 0 {
		before := h.previous[column]
		h.owner[column] = h.owner[before]
		column = before
	}
}

// advance continues from a column to the nearest unvisited one.
func (h *hungarian) advance(column int, least []float64, seen []bool) int {
	seen[column] = true
	row, next, delta := h.owner[column], 0, math.Inf(1)
	for j := 1; j <= h.columns; j++ {
		if seen[j] {
			continue
		}
		if reduced := h.cost(row, j) - h.rowPotential[row] - h.columnPotential[j]; reduced < least[j] {
			least[j], h.previous[j] = reduced, column
		}
		if least[j] < delta {
			delta, next = least[j], j
		}
	}
	for j := range seen {
		if seen[j] {
			h.rowPotential[h.owner[j]] += delta
			h.columnPotential[j] -= delta
		} else {
			least[j] -= delta
		}
	}
	return next
}
