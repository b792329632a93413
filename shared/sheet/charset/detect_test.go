package charset

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed testdata/tables.txt
var tablesFile string

// sampleFile is a file in a language: a table, three rows of it, or one of its words.
type sampleFile struct{ kind, language, text string }

func sampleFiles() []sampleFile {
	var all []sampleFile
	for _, section := range strings.Split(tablesFile, "\n## ")[1:] {
		language, text, _ := strings.Cut(section, "\n")
		text = strings.TrimSpace(text)
		all = append(all, sampleFile{"table", language, text + "\n"})
		rows := strings.Split(text, "\n")
		for i := 1; i+3 <= len(rows); i++ {
			all = append(all, sampleFile{"three rows", language, strings.Join(rows[i:i+3], "\r\n") + "\r\n"})
		}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("; ,\n", r) }) {
			all = append(all, sampleFile{"one word", language, "id;name\n1;Smith\n2;" + word + "\n3;Jones\n"})
		}
	}
	return all
}

// score counts the files that were decoded correctly.
type score struct{ tried, right, unsure, undetected int }

func (s *score) add(right, unsure bool) {
	s.tried++
	if right {
		s.right++
	}
	if right && unsure {
		s.unsure++
	}
	if !right && !unsure {
		s.undetected++
	}
}

func (s *score) share(n int) float64 { return 100 * float64(n) / float64(max(s.tried, 1)) }

func (s *score) String() string {
	return fmt.Sprintf("%5d tried, %5.1f %% right, %4.1f %% right with a warning, %.2f %% (%d) wrong without one",
		s.tried, s.share(s.right), s.share(s.unsure), s.share(s.undetected), s.undetected)
}

// scores contains the scores by kind of file.
type scores map[string]*score

func (s scores) of(key string) *score {
	if s[key] == nil {
		s[key] = new(score)
	}
	return s[key]
}

func (s scores) log(t *testing.T) {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		t.Logf("%-14s %s", key, s[key])
	}
}

// TestDetection tries each file in every encoding of its language that can represent it. The
// decoded text must equal the original; the encoding may differ, because many files are the
// same in two encodings.
func TestDetection(t *testing.T) {
	t.Parallel()
	kinds, encodings, languages := make(scores), make(scores), make(scores)
	for _, trial := range sampleFiles() {
		for i := range tables {
			known := &tables[i]
			file, err := known.encoding.NewEncoder().String(trial.text)
			if err != nil || known.script == notDetected || !usesScript(known.script, trial.language) {
				continue
			}
			var found Evidence
			found.Add([]byte(file))
			if found.InvalidBytes <= found.ValidRunes {
				continue // only ASCII, or valid UTF-8 by chance
			}
			v := found.Detect()
			read, err := findTable(v.Name).encoding.NewDecoder().String(file)
			require.NoError(t, err)
			right := read == trial.text
			kinds.of(trial.kind).add(right, v.Unsure)
			if trial.kind != "one word" {
				encodings.of(known.name).add(right, v.Unsure)
				languages.of(trial.language).add(right, v.Unsure)
			}
			if v.Unsure {
				require.NotEqual(t, v.Word, v.AlternativeWord, "an uncertain encoding has an example that differs")
			}
		}
	}
	encodings.log(t)
	languages.log(t)
	kinds.log(t)
	require.GreaterOrEqual(t, len(encodings), 31)
	require.GreaterOrEqual(t, len(languages), 34)
	for _, of := range []scores{encodings, languages} {
		for key, s := range of {
			require.Greater(t, s.tried, 0, key)
			require.GreaterOrEqual(t, s.share(s.right), 98.0, key)
			require.Zero(t, s.undetected, key)
		}
	}
	word := kinds.of("one word")
	require.GreaterOrEqual(t, word.share(word.right), 85.0)
	require.LessOrEqual(t, word.share(word.undetected), 0.6)
}

// usesScript reports whether files in the language use encodings of the script.
func usesScript(s script, language string) bool {
	return characters[s] == language || slices.Contains(alphabets[s], language)
}
