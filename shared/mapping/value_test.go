package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping"
)

func categories(t *testing.T) *mapping.Resolver {
	t.Helper()
	r, err := mapping.NewResolver([]mapping.Candidate{
		{ID: "42", Name: "Junior (U18)", Alternatives: []string{"U18"}},
		{ID: "43", Name: "Senior (18+)"},
		{ID: "44", Name: "Masters (40+)"},
		{ID: "45", Name: "Élite Men & Women"},
		{ID: "46", Name: "Grade A"},
		{ID: "47", Name: "Grade A-"},
		{ID: "48", Name: "Fun Ride"},
		{ID: "49", Name: "fun ride"},
		{ID: "50", Name: "7.5 km"},
	})
	require.NoError(t, err)
	return r
}

func TestResolveValues(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"Junior (U18)":        "42",
		"junior  u-18":        "42",
		"U 18":                "42",
		"43":                  "43",
		" senior (18+) ":      "43",
		"Senior 18":           "", // without its sign it may be another one
		"ELITE MEN AND WOMEN": "45",
		"grade a":             "46",
		"GRADE A-":            "47",
		"Fun Ride":            "48", // as written, it is only one of the two
		"FUN RIDE":            "",
		"75 km":               "",
		"Junor (U18)":         "", // similar is not equal
		"":                    "",
		"?":                   "",
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			got := categories(t).Resolve([]mapping.Value{{Text: value, Rows: 3}}, nil, 5)[0]
			require.Equal(t, want, got.CandidateID)
			require.Equal(t, mapping.Value{Text: value, Rows: 3}, got.Value)
			if want == "" {
				require.Equal(t, mapping.Unresolved, got.Status)
			} else {
				require.Equal(t, mapping.AutoMatched, got.Status)
				require.Empty(t, got.Suggestions)
			}
		})
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"Junor":       "42",
		"Juniors U18": "42",
		"Master 40 +": "44",
		"Elite woman": "45",
		"FUN RIDE":    "48", // equal to two: both are suggested
		"Seniors":     "43",
		"Men elite":   "45",
		"B-Grade":     "46",
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			got := categories(t).Resolve([]mapping.Value{{Text: value}}, nil, 3)[0]
			require.NotEmpty(t, got.Suggestions)
			require.Equal(t, want, got.Suggestions[0].ID, "%v", got.Suggestions)
			require.LessOrEqual(t, len(got.Suggestions), 3)
			for i, s := range got.Suggestions {
				require.Greater(t, s.Score, 0.0)
				require.Less(t, s.Score, 1.0)
				if i > 0 {
					require.LessOrEqual(t, s.Score, got.Suggestions[i-1].Score)
				}
			}
		})
	}
	require.Empty(t, categories(t).Resolve([]mapping.Value{{Text: "Xyzzy"}}, nil, 5)[0].Suggestions)
	require.Empty(t, categories(t).Resolve([]mapping.Value{{Text: "Junor"}}, nil, 0)[0].Suggestions)
}

func TestRememberedValues(t *testing.T) {
	t.Parallel()
	got := categories(t).Resolve([]mapping.Value{{Text: "Kids"}, {Text: "U18"}, {Text: "n/a"}, {Text: "Old"}}, []mapping.ValueDecision{
		{Value: "KIDS", CandidateID: "42"},
		{Value: "kids", CandidateID: "43"}, // older
		{Value: "U18", CandidateID: "44"},  // a person's word counts more than the name
		{Value: "N/A", Ignored: true},
		{Value: "Old", CandidateID: "gone"},
	}, 5)
	require.Equal(t, []string{"42", "44", "", ""}, []string{got[0].CandidateID, got[1].CandidateID, got[2].CandidateID, got[3].CandidateID})
	require.Equal(t, mapping.ManualMatched, got[0].Status)
	require.True(t, got[0].Confirmed)
	require.Equal(t, mapping.Ignored, got[2].Status)
	require.True(t, got[2].Confirmed)
	require.Equal(t, mapping.Unresolved, got[3].Status)
	require.False(t, got[3].Confirmed)
}

func TestNewResolverRefusesBadCandidates(t *testing.T) {
	t.Parallel()
	_, err := mapping.NewResolver([]mapping.Candidate{{ID: "1"}, {ID: "1"}, {Name: "x"}})
	require.ErrorContains(t, err, `candidate 1: id "1"`)
	require.ErrorContains(t, err, `candidate 2: id ""`)
}
