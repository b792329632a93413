package profile_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/profile"
)

func TestWarningsAreBounded(t *testing.T) {
	t.Parallel()
	w := profile.NewDecisionWarnings(&job.UsedProfile{Name: `The "club"`, Version: 3})
	require.Empty(t, w.Lines())
	for i := range 52 {
		w.Add(fmt.Sprintf("column %d is EMAIL", i))
	}
	lines := w.Lines()
	require.Len(t, lines, 51)
	require.Equal(t, `PROFILE_DECIDED: column 0 is EMAIL (version 3 of profile "The \"club\"")`, lines[0])
	require.Equal(t, "PROFILE_DECIDED: and 2 more", lines[50])
}

func TestRankOffersReturnsBestScores(t *testing.T) {
	t.Parallel()
	known := []profile.ProfileHeaders{{ID: "half", Name: "half", Headers: []string{"a", "x"}}, {ID: "less", Name: "less", Headers: []string{"a", "x", "y"}}, {ID: "all", Name: "all", Headers: []string{"b", "a"}}}
	require.Equal(t, []profile.Offer{{ID: "all", Name: "all", Score: 1}, {ID: "half", Name: "half", Score: 0.5}}, profile.RankOffers(known, []string{"a", "b"}))
	for range 9 {
		known = append(known, known[2])
	}
	require.Len(t, profile.RankOffers(known, []string{"a", "b"}), 5)
}
