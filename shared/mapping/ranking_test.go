package mapping_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping"
)

// categories returns candidates in the order of their ids.
func categories() []mapping.Candidate {
	return []mapping.Candidate{
		{ID: 42, Name: "Junior (U18)"},
		{ID: 43, Name: "Senior (18+)"},
		{ID: 44, Name: "Masters (40+)"},
		{ID: 45, Name: "Élite Men & Women"},
		{ID: 46, Name: "Grade A"},
		{ID: 47, Name: "Grade A-"},
		{ID: 48, Name: "Fun Ride"},
		{ID: 49, Name: "fun ride"},
		{ID: 50, Name: "7.5 km"},
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	r := mapping.NewRanking(categories())
	for value, want := range map[string]int64{
		"Junor":       42,
		"Juniors U18": 42,
		"Master 40 +": 44,
		"Elite woman": 45,
		"FUN RIDE":    48, // two are equal to it: in the given order
		"Seniors":     43,
		"Men elite":   45,
		"B-Grade":     46,
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			got := r.Nearest(value, 3)
			require.NotEmpty(t, got)
			require.Equal(t, want, got[0].ID, "%v", got)
			require.LessOrEqual(t, len(got), 3)
			for i, s := range got {
				require.Greater(t, s.Score, 0.0)
				require.Less(t, s.Score, 1.0)
				if i > 0 {
					require.LessOrEqual(t, s.Score, got[i-1].Score)
				}
			}
		})
	}
	require.Empty(t, r.Nearest("Xyzzy", 5))
	require.Empty(t, r.Nearest("Junor", 0))
}

func TestOrderContainsEachCandidateOnce(t *testing.T) {
	t.Parallel()
	r := mapping.NewRanking(categories())
	ids := func(found []mapping.Suggestion) (out []int64) {
		for _, s := range found {
			out = append(out, s.ID)
		}
		return out
	}
	require.Equal(t, []int64{42, 43, 44, 45, 46, 47, 48, 49, 50}, ids(r.Order("")))
	ordered := r.Order("masters 40")
	require.Equal(t, []int64{44, 42, 43, 45, 46, 47, 48, 49, 50}, ids(ordered))
	require.Positive(t, ordered[0].Score)
	require.Zero(t, ordered[1].Score)
}

// TestNearestOfThousands looks up one of 5,000 by a misspelt name.
func TestNearestOfThousands(t *testing.T) {
	t.Parallel()
	streets := []string{"Harbour", "Mountain", "Valley", "Station", "Church"}
	var candidates []mapping.Candidate
	for i := range 5000 {
		candidates = append(candidates, mapping.Candidate{ID: int64(i), Name: fmt.Sprintf("%s Cycling Club %04d", streets[i%5], i)})
	}
	candidates[3210].Name = "Wanderers of Stellenbosch"
	r := mapping.NewRanking(candidates)
	require.Equal(t, int64(3210), r.Nearest("Wandrers Stellenbosh", 3)[0].ID)
	require.Equal(t, r.Order("Vally Cycling Club 0002"), r.Order("Vally Cycling Club 0002"), "the order is stable")
	require.Len(t, r.Order("Vally Cycling Club 0002"), 5000)
	require.Equal(t, int64(2), r.Nearest("Vally Cycling Club 0002", 3)[0].ID)
}

func TestFilterCandidates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int64{
		"":            {42, 43, 44, 45, 46, 47, 48, 49, 50},
		"?":           {42, 43, 44, 45, 46, 47, 48, 49, 50},
		"ride fun":    {48, 49},
		"ELITE":       {45},
		"elite women": {45},
		"gra":         {46, 47},
		"18":          {42, 43},
		"rade":        nil,
	} {
		var got []int64
		for _, c := range mapping.FilterCandidates(categories(), text) {
			got = append(got, c.ID)
		}
		require.Equal(t, want, got, text)
	}
}

// Names are similar without regard to articles and legal forms.
func TestNamesWithoutArticlesAndLegalForms(t *testing.T) {
	t.Parallel()
	r := mapping.NewRanking([]mapping.Candidate{
		{ID: 1, Name: "Ruderverein Nord e.V."}, {ID: 2, Name: "Die Kanuten GmbH & Co. KG"}, {ID: 3, Name: "L'Étoile SARL"},
		{ID: 4, Name: "Zorza Sp. z o.o."}, {ID: 5, Name: "Team A"}, {ID: 6, Name: "Team B"}, {ID: 7, Name: "The Co."},
	})
	for value, want := range map[string]string{
		"RUDERVEREIN NORD": "Ruderverein Nord e.V.", "Kanuten": "Die Kanuten GmbH & Co. KG", "Etoile": "L'Étoile SARL", "Zorza": "Zorza Sp. z o.o.",
		"team a": "Team A", "The Team B Ltd": "Team B", "The Co": "The Co.",
	} {
		first := r.Nearest(value, 1)
		require.Len(t, first, 1, value)
		require.Equal(t, want, first[0].Name, value)
		require.InDelta(t, 0.99, first[0].Score, 0.001, value)
	}
}
