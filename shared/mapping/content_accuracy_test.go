package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/content"
)

// Minimum accuracy of matches and kinds by values alone, in each language. A person in a hurry
// would confirm a wrong match.
const (
	minContentPrecision = 1.0
	minContentRecall    = 0.75
	minKindAccuracy     = 0.85
)

// TestContentAccuracyInEightLanguages measures the accuracy of matches by values alone.
func TestContentAccuracyInEightLanguages(t *testing.T) {
	t.Parallel()
	matcher := matchersByType(t)["MEMBERSHIP"]
	byLanguage, kinds := make(map[string]*score), make(map[string]*[2]int) // right and wrong ones
	for _, line := range readTSV(t, "testdata/contents.tsv") {
		language, want, kind, values := line[0], target(line[1]), line[2], line[3:]
		if byLanguage[language] == nil {
			byLanguage[language], kinds[language] = &score{}, &[2]int{}
		}
		matches := matcher.Match([]mapping.Column{{Header: "?", Samples: values}})
		matcher.ApplySamples(matches, true)
		byLanguage[language].count(want, matches[0])
		if matches[0].Target != want {
			t.Logf("%s: %q belong to %q, matched to %q", language, values, want, matches[0].Target)
		}
		c := content.NewColumns(1)
		for _, v := range values {
			c.Add(0, []byte(v), 0)
		}
		if s := c.Summary(0); s.Kind.String() == kind {
			kinds[language][0]++
		} else {
			kinds[language][1]++
			t.Logf("%s: %q are %s, detected as %s (%.2f)", language, values, kind, s.Kind, s.Share)
		}
	}
	require.Len(t, byLanguage, len(languages))
	for _, language := range languages {
		byLanguage[language].log(t, language)
		accuracy := share(kinds[language][0], kinds[language][1])
		t.Logf("%-18s kinds detected correctly: %.3f of %d", language, accuracy, kinds[language][0]+kinds[language][1])
		require.GreaterOrEqual(t, byLanguage[language].precision(), minContentPrecision, language)
		require.GreaterOrEqual(t, byLanguage[language].recall(), minContentRecall, language)
		require.GreaterOrEqual(t, accuracy, minKindAccuracy, language)
	}
}

func TestSamplesContradictSimilarHeaders(t *testing.T) {
	t.Parallel()
	m := people(t)
	weigh := func(asked bool, header string, samples ...string) mapping.Match {
		matches := m.Match([]mapping.Column{{Header: header, Samples: samples}})
		m.ApplySamples(matches, asked)
		return matches[0]
	}
	require.Equal(t, "EMAIL", weigh(true, "Emial", "a@x.org", "b@x.org", "c@x.org").Target)
	got := weigh(true, "Emial", "1", "2", "3")
	require.Empty(t, got.Target)
	require.Equal(t, mapping.Contradicted, got.Reason)
	require.Equal(t, "EMAIL", weigh(true, "Emial", "1", "2").Target, "two values are not enough")
	require.Equal(t, "EMAIL", weigh(true, "Emial", "1", "2", "c@x.org").Target, "one of the values fits")
	require.Equal(t, "EMAIL", weigh(true, "Email", "1", "2", "3").Target, "an exact header outweighs the values")
	require.Equal(t, "EMAIL", weigh(false, "Emial", "1", "2", "3").Target, "without review, the rows report the errors")
}

func TestSamplesMatchOnlySpecificTargets(t *testing.T) {
	t.Parallel()
	m := people(t)
	match := func(asked bool, columns ...mapping.Column) []string {
		matches := m.Match(columns)
		m.ApplySamples(matches, asked)
		return targets(matches)
	}
	mails := mapping.Column{Header: "?", Samples: []string{"a@x.org", "b@x.org", "", "c@x.org"}}
	require.Equal(t, []string{"EMAIL"}, match(true, mails))
	require.Equal(t, []string{""}, match(false, mails), "without review, samples match nothing")
	require.Equal(t, []string{"", ""}, match(true, mails, mails), "two columns fit the field")
	require.Equal(t, []string{"EMAIL", ""}, match(true, mapping.Column{Header: "Email"}, mails), "the field already has a column")
	require.Equal(t, []string{""}, match(true, mapping.Column{Header: "?", Samples: []string{"2024-01-02", "2024-01-03", "2024-01-04"}}), "dates fit several fields")
}

func TestRankTargets(t *testing.T) {
	t.Parallel()
	m := people(t)
	summary := func(values ...string) *content.Summary {
		c := content.NewColumns(1)
		for _, v := range values {
			c.Add(0, []byte(v), 0)
		}
		s := c.Summary(0)
		return &s
	}
	guesses := m.RankTargets("Surname of the person", summary("Ash", "Beech", "Cedar"), 5)
	require.Equal(t, "LAST_NAME", guesses[0].Target)
	require.Less(t, guesses[0].Score, 0.8, "the guess is below the threshold for a match")
	guesses = m.RankTargets("Surname", summary("Ash", "Beech", "Cedar"), 5)
	require.Equal(t, mapping.ScoredTarget{Target: "LAST_NAME", Score: 1, Reason: mapping.ByAlias}, guesses[0])
	guesses = m.RankTargets("?", summary("a@x.org", "b@x.org", "c@x.org"), 5)
	require.Equal(t, []mapping.ScoredTarget{{Target: "EMAIL", Score: 0.75, Reason: mapping.ByContent}}, guesses)
	require.Len(t, m.RankTargets("name", summary(), 1), 1)
	require.True(t, m.Contradicts("EMAIL", summary("1", "2", "3")))
	require.False(t, m.Contradicts("EMAIL", summary("1", "2")))
	require.False(t, m.Contradicts("LAST_NAME", summary("1", "2", "3")), "any text may be a name")
	require.True(t, m.CouldHold("LAST_NAME", summary("Captain")))
	require.False(t, m.CouldHold("LAST_NAME", summary("a@x.org", "b@x.org", "c@x.org")))
	require.True(t, m.CouldHold("LAST_NAME", summary("a@x.org")), "too few values to decide")
	require.True(t, m.CouldHold("EMAIL", summary("a@x.org", "b@x.org", "no mail")))
	require.False(t, m.CouldHold("LAST_NAME", summary()))
}
