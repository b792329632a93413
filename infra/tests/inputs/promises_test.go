package inputs

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testCase sends an input and checks the response.
type testCase func(t *testing.T, w *harness)

// promise is a line of the promises, verbatim, with the inputs that test it.
type promise struct {
	text  string
	cases map[string]testCase
}

// allPromises returns every line of the promises.
func allPromises() []promise {
	return slices.Concat(requestCases(), fetchCases(), dropFolderCases(), decisionCases(), corruptFileCases(), unusualFileCases(), unusualRowCases(), exportCases())
}

func TestInputs(t *testing.T) {
	t.Parallel()
	w := startHarness(t)
	t.Run("lines", func(t *testing.T) {
		for _, l := range allPromises() {
			for name, try := range l.cases {
				t.Run(l.text+"/"+name, func(t *testing.T) {
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

// readPromises returns the document's promises, which are separated by dots.
func readPromises() []string {
	var lines []string
	for paragraph := range strings.SplitSeq(promises, "\n\n") {
		text := strings.TrimSuffix(strings.Join(strings.Fields(paragraph), " "), ".")
		_, text, _ = strings.Cut(text, ": ") // without the name of the paragraph
		lines = append(lines, strings.Split(text, " · ")...)
	}
	return lines
}

func TestCasesMatchPromises(t *testing.T) {
	t.Parallel()
	var tried []string
	for _, l := range allPromises() {
		require.NotEmpty(t, l.cases, l.text)
		tried = append(tried, l.text)
	}
	require.Equal(t, readPromises(), tried)
}
