package mapping

import "slices"

// candidate is a possible target of a header.
type candidate struct {
	target     int
	confidence float64
	rank       int // rank of the name that equals the header; -1 if it is only similar
}

// ambiguityMargin is the difference in confidence below which similar targets count as
// equally good.
const ambiguityMargin = 0.03

// candidates returns the possible targets of a header, among which only sample values or the
// other columns can decide: those with that name, else those with that alias, else the most
// similar ones.
func (ix *index) candidates(text string) []candidate {
	forms := parseHeaders(text)
	for i := range forms {
		if found := ix.byNameKey(forms[i].key); len(found) > 0 {
			return found
		}
	}
	if found, understood := ix.byMeaning(forms); understood {
		return found
	}
	best := make([]float64, len(ix.targets))
	for i := range forms {
		ix.addSimilar(&forms[i], best)
	}
	highest := slices.Max(append(best, 0))
	var found []candidate
	for t, c := range best {
		if c > 0 && c > highest-ambiguityMargin {
			found = append(found, candidate{target: t, confidence: c, rank: -1})
		}
	}
	return found
}

// byNameKey returns the targets with a name of that key, and those with such an alias only if
// it is no target's name or title.
func (ix *index) byNameKey(key string) []candidate {
	var names, aliases []candidate
	for _, e := range ix.exactMatches[key] {
		c := candidate{target: e.target, confidence: 1, rank: e.rank}
		if e.rank == 0 {
			names = append(names, c)
		} else {
			aliases = append(aliases, c)
		}
	}
	if len(names) > 0 {
		return names
	}
	return aliases
}

// addSimilar raises the best confidence of each target to its similarity to the header.
func (ix *index) addSimilar(h *header, best []float64) {
	if len(h.words) == 0 || len(h.words) > maxWords || len(h.key) > maxHeader {
		return
	}
	for _, c := range ix.matchingAllParts(h) {
		best[c.target] = max(best[c.target], maxSimilar-partsCost)
	}
	q := ix.query(h)
	for i := range ix.targets {
		t := &ix.targets[i]
		for n := range t.names {
			best[i] = max(best[i], similarity(q, &t.names[n], t))
		}
	}
}

// matchingAllParts returns the targets that match every part of the header.
func (ix *index) matchingAllParts(h *header) []candidate {
	var common []candidate
	for i, part := range h.parts {
		found := ix.byNameKey(joinWords(part))
		if i == 0 {
			common = found
			continue
		}
		common = slices.DeleteFunc(common, func(c candidate) bool {
			return !slices.ContainsFunc(found, func(f candidate) bool { return f.target == c.target })
		})
	}
	return common
}
