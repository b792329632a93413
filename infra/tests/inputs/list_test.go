package inputs

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// trial sends an input and looks at the response.
type trial func(t *testing.T, w *world)

// line is a line of the promises, in its own words, with the inputs that try it.
type line struct {
	words string
	tries map[string]trial
}

// list is every line of the promises.
func list() []line {
	return slices.Concat(requests(), sources(), dropped(), answers(), brokenFiles(), oddFiles(), oddRows(), exports())
}

func TestInputs(t *testing.T) {
	t.Parallel()
	w := start(t)
	t.Run("lines", func(t *testing.T) {
		for _, l := range list() {
			for name, try := range l.tries {
				t.Run(l.words+"/"+name, func(t *testing.T) {
					t.Parallel()
					try(t, w)
				})
			}
		}
	})
	w.requireNothingLeft(t)
}

//go:embed testdata/promises.md
var promises string

// promised are the lines of the document: what stands between the dots.
func promised() []string {
	var lines []string
	for paragraph := range strings.SplitSeq(promises, "\n\n") {
		text := strings.TrimSuffix(strings.Join(strings.Fields(paragraph), " "), ".")
		_, text, _ = strings.Cut(text, ": ") // the paragraph's name
		lines = append(lines, strings.Split(text, " · ")...)
	}
	return lines
}

func TestTheListIsThatOfThePromises(t *testing.T) {
	t.Parallel()
	var tried []string
	for _, l := range list() {
		require.NotEmpty(t, l.tries, l.words)
		tried = append(tried, l.words)
	}
	require.Equal(t, promised(), tried)
}
