package mapping

import "slices"

// openColumns returns, by header key, the columns that decisions are about and whose
// headers do not name a field with certainty.
func openColumns(certain []Match, decisions []Decision) map[string][]int {
	decided := make(map[string]bool, len(decisions))
	for _, d := range decisions {
		decided[HeaderKey(d.Header)] = true
	}
	open := make(map[string][]int)
	for i := range certain {
		key := HeaderKey(certain[i].Column.Header)
		if key != "" && decided[key] && certain[i].Confidence < 1 {
			open[key] = append(open[key], i)
		}
	}
	return open
}

// remember applies the decisions to the open columns, and adds the targets that they
// take, by place in the dictionary. A decision about a header that occurs twice says
// which field it is and not which of the columns: samples or a person decide.
func (m *Matcher) remember(matches []Match, open map[string][]int, decisions []Decision, taken map[int]bool) {
	decided := make(map[string]bool)
	for _, d := range decisions {
		key := HeaderKey(d.Header)
		columns := open[key]
		if len(columns) == 0 || decided[key] {
			continue
		}
		if d.Ignored {
			decided[key] = true
			m.ignore(matches, columns)
			continue
		}
		place := m.index.place(d.Target)
		if place < 0 {
			continue
		}
		decided[key] = true
		m.confirm(matches, columns, place, taken)
	}
}

func (m *Matcher) ignore(matches []Match, columns []int) {
	for _, i := range columns {
		matches[i].Status, matches[i].Confirmed, matches[i].Reason = Ignored, true, ByDecision
	}
}

// confirm gives the target to the one column that can have it by decision.
func (m *Matcher) confirm(matches []Match, columns []int, place int, taken map[int]bool) {
	t := &m.index.targets[place]
	columns = slices.DeleteFunc(columns, func(i int) bool { return !matches[i].Column.fills(&t.Target) })
	if len(columns) == 0 {
		return
	}
	chosen, count := -1, 0
	best := -2
	for _, i := range columns {
		switch f := fit(t, matches[i].Column.Samples); {
		case f > best:
			best, chosen, count = f, i, 1
		case f == best:
			count++
		}
	}
	for _, i := range columns {
		matches[i].Reason = Taken
	}
	switch {
	case taken[place]:
	case count > 1:
		for _, i := range columns {
			matches[i].Reason = Ambiguous
		}
	default:
		taken[place] = true
		c := &matches[chosen]
		c.Target, c.Confidence, c.Status, c.Confirmed, c.Reason = t.Name, 1, ManualMatched, true, ByDecision
	}
}

// place returns the place of the target of that name, or -1.
func (ix *index) place(name string) int {
	for i := range ix.targets {
		if ix.targets[i].Name == name {
			return i
		}
	}
	return -1
}
