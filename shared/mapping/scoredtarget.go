package mapping

import (
	"cmp"
	"slices"

	"github.com/loadbay/loadbay/shared/mapping/content"
)

// ScoredTarget is a possible target of a column.
type ScoredTarget struct {
	Target string
	Score  float64 // 1 for its names; below minSimilar for suggestions that need a person's review
	Reason Reason  // ByName, ByAlias, BySimilarity or ByContent
}

// Scores of suggestions.
const (
	minLoose         = 0.55 // of the similarity of header and name
	maxLoose         = 0.79
	agreementBonus   = 0.1 // added if header and values support the same target
	minShownScore    = 0.3
	maxContraryShare = 0.1 // share of fitting values below which they contradict a target
)

// specificity is how strongly values of a kind determine a target by themselves.
var specificity = map[Kind]float64{Email: 0.75, Choice: 0.7, UUID: 0.5, Date: 0.5, Timestamp: 0.5, Boolean: 0.4, Integer: 0.3, Decimal: 0.3}

// RankTargets returns up to limit possible targets of a column by its header or its values,
// the likeliest first. It decides nothing.
func (m *Matcher) RankTargets(header string, s *content.Summary, limit int) []ScoredTarget {
	found := make(map[int]ScoredTarget)
	for _, g := range m.loose.suggest(header, limit) {
		if g.score >= minLoose {
			found[g.candidate] = ScoredTarget{Score: g.score * maxLoose, Reason: BySimilarity}
		}
	}
	for target, score := range m.index.partlyNamed(header) {
		if score > found[target].Score {
			found[target] = ScoredTarget{Score: score, Reason: BySimilarity}
		}
	}
	for _, c := range m.index.candidates(header) {
		found[c.target] = ScoredTarget{Score: c.confidence, Reason: reasonOf(c.rank)}
	}
	var guesses []ScoredTarget
	for i := range m.index.targets {
		t := &m.index.targets[i]
		if g := t.adjustScore(found[i], s); g.Score >= minShownScore {
			g.Target = t.Name
			guesses = append(guesses, g)
		}
	}
	slices.SortStableFunc(guesses, func(a, b ScoredTarget) int { return cmp.Compare(b.Score, a.Score) })
	return guesses[:min(limit, len(guesses))]
}

// adjustScore adjusts a guess by header using the values.
func (t *target) adjustScore(g ScoredTarget, s *content.Summary) ScoredTarget {
	share, known := t.fittingShare(s)
	switch speaks := t.contentScore(s) * share; {
	case !known || s.Filled < minSamples || g.Score >= minSimilar && share >= maxContraryShare:
		return g
	case share < maxContraryShare:
		return ScoredTarget{Score: g.Score / 2, Reason: g.Reason}
	case g.Score == 0:
		return ScoredTarget{Score: speaks, Reason: ByContent}
	default:
		return ScoredTarget{Score: min(maxLoose, max(g.Score, speaks)+agreementBonus*share), Reason: g.Reason}
	}
}

// fittingShare returns the share of the values that fit the target; false if anything fits.
func (t *target) fittingShare(s *content.Summary) (share float64, known bool) {
	switch t.Kind {
	case Email:
		return s.ShareOf(content.Email), true
	case UUID:
		return s.ShareOf(content.UUID), true
	case Date, Timestamp:
		return s.ShareOf(content.Date | content.Timestamp), true
	case Integer:
		return s.ShareOf(content.Integer), true
	case Decimal:
		return s.ShareOf(content.Decimal), true
	case Reference:
		return s.ShareOf(content.Country), t.Content == content.Country
	}
	if t.fits == nil {
		return 0, false
	}
	return s.ShareOfWords(t.fits), true
}

// contentScore returns the score of fitting values by themselves.
func (t *target) contentScore(s *content.Summary) float64 {
	switch {
	case t.Kind == Choice && s.Distinct < 2, t.Content == content.Phone && s.ShareOf(content.Phone) < maxContraryShare:
		return 0
	case t.Content == content.Phone:
		return 0.65
	case t.Content == content.Country:
		return 0.7
	}
	return specificity[t.Kind]
}

// Contradicts reports whether the values of a column do not fit the target: hardly any of
// them would be valid.
func (m *Matcher) Contradicts(target string, s *content.Summary) bool {
	place := m.index.targetPlace(target)
	if place < 0 {
		return false
	}
	share, known := m.index.targets[place].fittingShare(s)
	return known && s.Filled >= minSamples && share < maxContraryShare
}

// CouldHold reports whether the values of a column could be the target's, even if they do not
// prove it: any text can be a text, but dates or mail addresses are unlikely to be one. Too
// few values could be anything.
func (m *Matcher) CouldHold(target string, s *content.Summary) bool {
	place := m.index.targetPlace(target)
	if place < 0 || s.Filled == 0 {
		return false
	}
	t := &m.index.targets[place]
	if share, known := t.fittingShare(s); known && t.Kind != Reference {
		return s.Filled < minSamples || share >= maxContraryShare
	}
	return s.Filled < minSamples || !s.Kind.Has(content.UUID|content.Email|content.URL|content.Timestamp|content.Date|content.Boolean)
}

func reasonOf(rank int) Reason {
	switch {
	case rank == 0:
		return ByName
	case rank > 0:
		return ByAlias
	default:
		return BySimilarity
	}
}
