package valueword_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/valueword"
)

func rank(names ...string) *mapping.Ranking {
	candidates := make([]mapping.Candidate, len(names))
	for i, name := range names {
		candidates[i] = mapping.Candidate{ID: int64(i + 1), Name: name}
	}
	valueword.AddTo(candidates)
	return mapping.NewRanking(candidates)
}

func names(suggestions []mapping.Suggestion) (found []string) {
	for _, s := range suggestions {
		found = append(found, s.Name)
	}
	return found
}

func TestWordsSuggestValuesInOtherLanguages(t *testing.T) {
	t.Parallel()
	gender := rank("FEMALE", "MALE", "OTHER")
	for value, want := range map[string]string{
		"Homme": "MALE", "Femme": "FEMALE", "männlich": "MALE", "weiblich": "FEMALE", "kobieta": "FEMALE", "Mężczyzna": "MALE",
		"muž": "MALE", "žena": "FEMALE", "Autre": "OTHER", "女": "FEMALE", "男性": "MALE", "мужской": "MALE", "Kvinde": "FEMALE", "man": "MALE",
	} {
		require.Equal(t, []string{want}, names(gender.Nearest(value, 3)), value)
	}
	status := rank("FINISHED", "DNF", "DNS", "DSQ")
	require.Equal(t, []string{"DNF"}, names(status.Nearest("Abandon", 3)))
	require.Equal(t, []string{"DSQ"}, names(status.Nearest("disqualifiziert", 3)))
	types := rank("Adult", "Junior", "Family")
	require.Equal(t, []string{"Adult"}, names(types.Nearest("Erwachsene", 3)))
	require.Equal(t, []string{"Family"}, names(types.Nearest("Perhe", 3)))
	require.Equal(t, []string{"Junior"}, names(rank("Senior", "Junior").Nearest("Jeune", 3)))
	marital := rank("Married", "Single", "Divorced", "Widowed")
	require.Equal(t, []string{"Married"}, names(marital.Nearest("verheiratet", 3)))
	require.Equal(t, []string{"Single"}, names(marital.Nearest("célibataire", 3)))
	review := rank("Approved", "Rejected", "Suspended", "Expired")
	require.Equal(t, []string{"Rejected"}, names(review.Nearest("abgelehnt", 3)))
	require.Equal(t, []string{"Suspended"}, names(review.Nearest("zawieszony", 3)))
}

func TestSharedWordsAreAddedToNone(t *testing.T) {
	t.Parallel()
	require.NotEqual(t, []string{"Inactive"}, names(rank("Disabled", "Inactive").Nearest("無効", 3)))
}

// Each word has a source, and only those that docs/mapping-sources.md lists.
func TestValueWordsHaveSource(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("values.tsv")
	require.NoError(t, err)
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, f, 4, line)
		require.Equal(t, "own", f[3], line)
		require.NotEmpty(t, mapping.ValueKey(f[2]), line)
	}
}
