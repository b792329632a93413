package concept_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/concept"
	"github.com/loadbay/loadbay/shared/mapping/concept/conceptlist"
)

// word is a line of words.tsv.
type word struct{ concept, role, language, text, source string }

func readWords(t *testing.T) (words []word) {
	t.Helper()
	table, err := os.ReadFile("words.tsv")
	require.NoError(t, err)
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, f, 5, line)
		words = append(words, word{f[0], f[1], f[2], f[3], f[4]})
	}
	return words
}

// Each word has a source that docs/mapping-sources.md lists with its number of words, and none comes from
// a system whose header rows are only tests.
func TestEveryWordHasListedSource(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/mapping-sources.md")
	require.NoError(t, err)
	listed := make(map[string]string)
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*\\| ([0-9,]+) \\|$").FindAllStringSubmatch(string(text), -1) {
		listed[row[1]] = strings.ReplaceAll(row[2], ",", "")
	}
	tests, err := os.ReadFile("../testdata/heldout.txt")
	require.NoError(t, err)
	sources := regexp.MustCompile(`(?s)Words may be\s+those of (.*?)\s+and the like`).FindStringSubmatch(string(text))
	require.NotNil(t, sources)
	for _, system := range strings.Split(strings.Join(strings.Fields(sources[1]), " "), ", ") {
		require.NotContains(t, strings.ToLower(string(tests)), " | "+strings.ToLower(system)+" | ", "%s is a source and a test", system)
	}
	counts := make(map[string]int)
	for _, w := range readWords(t) {
		counts[w.source]++
		require.NotContains(t, string(tests), " | "+w.source+" | ", "%q comes from a system that is only a test", w.text)
	}
	found := make(map[string]string)
	for source, n := range counts {
		found[source] = strconv.Itoa(n)
	}
	require.Equal(t, listed, found)
}

// A language is covered if 120 concepts have a name in it.
func TestTwentyLanguagesAreCovered(t *testing.T) {
	t.Parallel()
	concepts := make(map[string]map[string]bool)
	for _, w := range readWords(t) {
		if concepts[w.language] == nil {
			concepts[w.language] = make(map[string]bool)
		}
		if w.concept != "" {
			concepts[w.language][w.concept] = true
		}
	}
	covered := 0
	for _, language := range slices.Sorted(maps.Keys(concepts)) {
		if len(concepts[language]) >= 120 {
			covered++
		}
	}
	require.GreaterOrEqual(t, covered, 20)
}

// The embedded form and the documentation are those that the table results in.
func TestWordsAreGenerated(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	compiled, document := filepath.Join(folder, "words.txt"), filepath.Join(folder, "concepts.md")
	out, err := exec.CommandContext(t.Context(), "go", "run", "./internal/compile", "words.tsv", compiled, document).CombinedOutput()
	require.NoError(t, err, string(out))
	for written, checkedIn := range map[string]string{compiled: "words.txt", document: "../../../docs/concepts.md"} {
		want, err := os.ReadFile(written)
		require.NoError(t, err)
		got, err := os.ReadFile(checkedIn)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "run go generate in shared/mapping/concept")
	}
}

// The words are searched as they are embedded: their size is what they cost in a binary and in memory.
func TestWordsAreSmall(t *testing.T) {
	file, err := os.Stat("words.txt")
	require.NoError(t, err)
	require.Less(t, file.Size(), int64(1<<20))
	require.Zero(t, testing.AllocsPerRun(100, func() { concept.Vocabulary{}.Meanings("nosuchword") }))
}

func TestMeanings(t *testing.T) {
	t.Parallel()
	var v concept.Vocabulary
	require.Contains(t, v.Meanings(mapping.HeaderKey("Vorname")), mapping.Meaning{Concept: "person.givenName"})
	require.Contains(t, v.Meanings(mapping.HeaderKey("consignee")), mapping.Meaning{Role: "receiver"})
	require.Empty(t, v.Meanings(""))
	require.Empty(t, v.Meanings("nosuchword"))
	for _, w := range readWords(t) {
		for _, key := range mapping.HeaderKeys(w.text) {
			require.Contains(t, v.Meanings(key), mapping.Meaning{Role: w.role, Concept: w.concept}, w.text)
		}
	}
}

// The list of concepts and roles is that of the words.
func TestConceptsHaveWords(t *testing.T) {
	t.Parallel()
	named, roles := map[string]bool{"": true}, map[string]bool{"": true}
	for _, w := range readWords(t) {
		named[w.concept], roles[w.role] = true, true
	}
	listed := []string{""}
	for _, c := range conceptlist.All() {
		listed = append(listed, c.Name)
	}
	require.Equal(t, listed, slices.Sorted(maps.Keys(named)))
	require.Equal(t, append([]string{""}, conceptlist.Roles...), slices.Sorted(maps.Keys(roles)))
}

// The concepts of fields exist, and no two fields of a type have the same one.
func TestFieldsNameConcepts(t *testing.T) {
	t.Parallel()
	for _, of := range catalog.New().Types() {
		d := of.Declaration()
		owner := make(map[string]string)
		for _, f := range d.Fields {
			for _, c := range f.Concepts {
				require.True(t, conceptlist.Valid(c), "%s.%s: %s", d.Name, f.Name, c)
				require.Empty(t, owner[c], "%s: %s and %s", d.Name, f.Name, owner[c])
				owner[c] = f.Name
			}
		}
	}
}
