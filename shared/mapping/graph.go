package mapping

// graph is the graph of columns and their possible targets.
type graph struct {
	index   *index
	matches []Match
	edges   []edge
}

// edge is a pair of a column and a possible target.
type edge struct {
	column int // index in matches
	candidate
	weight float64
	fit    int // fit of the sample values, as returned by fit
}

// Weights order the columns that compete for a target: first by name, then by alias in the
// dictionary's order, then by similarity, and last by an alias that several targets share:
// "Name" is the field that the other columns do not take. Weights that differ by less than
// tie count as equal.
const (
	nameWeight  = 3.0
	aliasWeight = 2.9
	aliasStep   = 0.03
	sharedAlias = 0.7 // below every similarity
	tieWeight   = 0.02
)

// addEdges adds the possible targets of a column. They are equally good: only the competition
// of other columns decides between them.
func (g *graph) addEdges(column int, candidates []candidate) {
	least := nameWeight
	for _, c := range candidates {
		least = min(least, c.weight())
		if len(candidates) > 1 && c.rank > 0 {
			least = sharedAlias
		}
	}
	for _, c := range candidates {
		t := &g.index.targets[c.target]
		if !g.matches[column].Column.canFill(&t.Target) {
			continue
		}
		f := fit(t, g.matches[column].Column.Samples)
		g.edges = append(g.edges, edge{column: column, candidate: c, weight: least, fit: f})
	}
}

func (c candidate) weight() float64 {
	switch {
	case c.rank == 0:
		return nameWeight
	case c.rank > 0:
		return max(1.5, aliasWeight-aliasStep*float64(c.rank))
	default:
		return c.confidence
	}
}

// useSamples drops edges that sample values contradict, if an equally good edge without a
// contradiction exists: to another target of the column, or from another column.
func (g *graph) useSamples() {
	ofColumn, ofTarget := make(map[int]edge), make(map[int]edge)
	for _, e := range g.edges {
		if best, ok := ofColumn[e.column]; !ok || e.fit > best.fit {
			ofColumn[e.column] = e
		}
		best, ok := ofTarget[e.target]
		if !ok || e.weight > best.weight+tieWeight || e.weight > best.weight-tieWeight && e.fit > best.fit {
			ofTarget[e.target] = e
		}
	}
	g.keepEdges(func(e *edge) bool {
		rival := ofTarget[e.target]
		outdone := e.weight > rival.weight-tieWeight && e.fit < rival.fit
		if outdone {
			g.matches[e.column].Reason = TargetTaken
		}
		return !outdone && e.fit == ofColumn[e.column].fit
	})
}

func (g *graph) keepEdges(wanted func(*edge) bool) {
	kept := g.edges[:0]
	for i := range g.edges {
		if wanted(&g.edges[i]) {
			kept = append(kept, g.edges[i])
		}
	}
	g.edges = kept
}
