package mapping_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping"
)

// FuzzMatch checks the invariants of the matches of any header row, given as lines.
func FuzzMatch(f *testing.F) {
	f.Add("First name\nSurname\nE-mail\nE-mail\n\n*", "a@example.org")
	f.Add("Contact\nContact\nPhone (home\n1) Name\nmemberno\nN°", "")
	f.Add("\xff\nİstanbul\nǅ\n((((\n]]]]\nDD/MM/YYYY", "12")
	f.Fuzz(func(t *testing.T, lines, sample string) {
		m := people(t)
		var in []mapping.Column
		for i, line := range strings.Split(lines, "\n") {
			in = append(in, mapping.Column{Index: i, Header: line, Samples: []string{sample}})
		}
		got := m.Match(in)
		require.Len(t, got, len(in))
		taken := make(map[string]bool)
		for i, match := range got {
			require.Equal(t, in[i], match.Column)
			requireConsistent(t, match)
			require.False(t, match.Target != "" && taken[match.Target], "%s has two columns", match.Target)
			taken[match.Target] = true
			require.Equal(t, mapping.HeaderKey(match.Column.Header) == "", match.Reason == mapping.NoHeader)
		}
		require.Equal(t, got, m.Match(in), "equal inputs have equal matches")
	})
}

// requireConsistent checks that the members of a match are consistent.
func requireConsistent(t *testing.T, m mapping.Match) {
	t.Helper()
	switch m.Status {
	case mapping.AutoMatched:
		require.NotEmpty(t, m.Target)
		if m.Reason == mapping.BySimilarity {
			require.GreaterOrEqual(t, m.Confidence, 0.80)
			require.LessOrEqual(t, m.Confidence, 0.99)
		} else {
			require.InDelta(t, 1, m.Confidence, 0)
		}
	case mapping.Unresolved:
		require.Empty(t, m.Target)
		require.Zero(t, m.Confidence)
	default:
		require.Fail(t, "unknown status", "%q", m.Status)
	}
}

// FuzzNearest checks the invariants of ranking any value against any candidates.
func FuzzNearest(f *testing.F) {
	f.Add("Junior (U18)\nSenior\nsenior\n\nÉlite", "senior", 3)
	f.Add("\xff\n18+\n18-\n1.5\n15", "15", 1)
	f.Fuzz(func(t *testing.T, names, value string, limit int) {
		var candidates []mapping.Candidate
		for i, name := range strings.Split(names, "\n") {
			candidates = append(candidates, mapping.Candidate{ID: int64(i), Name: name})
		}
		r := mapping.NewRanking(candidates)
		got := r.Nearest(value, limit)
		require.LessOrEqual(t, len(got), max(0, limit))
		seen := make(map[int64]bool)
		for i, s := range got {
			require.True(t, s.Score > 0 && s.Score < 1)
			require.True(t, i == 0 || s.Score <= got[i-1].Score)
			require.False(t, seen[s.ID])
			seen[s.ID] = true
		}
		require.Len(t, r.Order(value), len(candidates))
		for _, c := range candidates {
			if mapping.ValueKey(c.Name) != "" {
				require.Contains(t, mapping.FilterCandidates(candidates, c.Name), c)
			}
		}
	})
}
