package mapping

import "slices"

// solve assigns each target to at most one column so that the total is best, and omits
// assignments that have an equally good alternative.
func (g *graph) solve() {
	m := g.matrix()
	best := assign(m.weights)
	total := m.total(best)
	given := make(map[int]bool, len(best))
	var open []int
	for row, column := range best {
		if column < 0 {
			continue
		}
		if m.isContested(row, column) && (m.isReplaceable(best, row, column) || total-m.totalWithout(row, column) < tieWeight) {
			open = append(open, row)
			continue
		}
		given[m.columns[column]] = true
		g.assignTarget(m.edge[row][column])
	}
	g.explainUnmatched(given, open, m)
}

// assignTarget converts an edge to a match.
func (g *graph) assignTarget(e *edge) {
	c := &g.matches[e.column]
	c.Target, c.Confidence, c.Status, c.Reason = g.index.targets[e.target].Name, e.confidence, AutoMatched, reasonOf(e.rank)
}

// explainUnmatched records why columns have no target: the target was assigned to another
// one, or to none because there were several ways.
func (g *graph) explainUnmatched(given map[int]bool, open []int, m *matrix) {
	undecided := make(map[int]bool, len(open))
	for _, row := range open {
		undecided[m.targets[row]] = true
	}
	g.markContested(given, undecided)
	for i := range g.edges {
		e := &g.edges[i]
		if given[e.column] {
			continue
		}
		if undecided[e.target] {
			g.matches[e.column].Reason = Ambiguous
		} else if g.matches[e.column].Reason != Ambiguous {
			g.matches[e.column].Reason = TargetTaken
		}
	}
}

// markContested records which columns match the same undecided target best and equally well. A
// column that could be several targets, without another one that competes, contests none.
func (g *graph) markContested(given, undecided map[int]bool) {
	best, columns := make(map[int]float64), make(map[int][]int) // by target
	for _, e := range g.edges {
		if !given[e.column] && undecided[e.target] {
			best[e.target] = max(best[e.target], e.weight)
		}
	}
	for _, e := range g.edges {
		if !given[e.column] && undecided[e.target] && e.weight > best[e.target]-tieWeight {
			columns[e.target] = append(columns[e.target], e.column)
		}
	}
	for target, rivals := range columns {
		for _, column := range rivals {
			if c := &g.matches[column]; len(rivals) > 1 && (c.Contested == "" || g.index.targets[target].Name < c.Contested) {
				c.Contested = g.index.targets[target].Name
			}
		}
	}
}

// matrix is the input of assign: a row per target, a column per column.
type matrix struct {
	targets, columns []int // targets and columns by row and column index
	weights          [][]float64
	edge             [][]*edge
}

func (g *graph) matrix() *matrix {
	m := &matrix{}
	rowOf, columnOf := make(map[int]int), make(map[int]int)
	for _, e := range g.edges {
		m.targets = numberOf(rowOf, e.target, m.targets)
		m.columns = numberOf(columnOf, e.column, m.columns)
	}
	for range m.targets {
		m.weights = append(m.weights, make([]float64, len(m.columns)))
		m.edge = append(m.edge, make([]*edge, len(m.columns)))
	}
	for i := range g.edges {
		e := &g.edges[i]
		row, column := rowOf[e.target], columnOf[e.column]
		m.weights[row][column], m.edge[row][column] = e.weight, e
	}
	return m
}

func numberOf(places map[int]int, id int, ids []int) []int {
	if _, ok := places[id]; ok {
		return ids
	}
	places[id] = len(ids)
	return append(ids, id)
}

func (m *matrix) total(assigned []int) float64 {
	var sum float64
	for row, column := range assigned {
		if column >= 0 {
			sum += m.weights[row][column]
		}
	}
	return sum
}

// isContested reports whether the row or the column of a pair has another edge.
func (m *matrix) isContested(row, column int) bool {
	for j, e := range m.edge[row] {
		if e != nil && j != column {
			return true
		}
	}
	for i := range m.edge {
		if m.edge[i][column] != nil && i != row {
			return true
		}
	}
	return false
}

// isReplaceable reports whether an unassigned column could have the row as well:
// the usual tie, found without another assignment.
func (m *matrix) isReplaceable(assigned []int, row, column int) bool {
	for j, w := range m.weights[row] {
		if w > m.weights[row][column]-tieWeight && !slices.Contains(assigned, j) {
			return true
		}
	}
	return false
}

// totalWithout returns the best total without the pair.
func (m *matrix) totalWithout(row, column int) float64 {
	weight := m.weights[row][column]
	m.weights[row][column] = 0
	total := m.total(assign(m.weights))
	m.weights[row][column] = weight
	return total
}
