package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/tutorial.cast and what the README shows of it anew")

// The size of the terminal that is recorded.
const (
	castRows    = 40
	castColumns = 120
)

// castStep is what somebody types into a terminal, and what is printed.
type castStep struct{ input, output string }

// The pace of a recording, in seconds: of typing a line, of printing one, and of reading
// what was printed.
const typeDelay, printDelay, readDelay = 0.4, 0.1, 2.5

// recording is a recording as asciinema plays it (asciicast v2). Its times are made up, so that
// it is the same whenever it is made.
func recording(title string, scenes []castStep) string {
	var b strings.Builder
	b.WriteString(castLine(map[string]any{"version": 2, "width": castColumns, "height": castRows, "title": title}))
	at := 0.5
	show := func(text string, pause float64) {
		b.WriteString(castLine([]any{json.Number(fmt.Sprintf("%.1f", at)), "o", text + "\r\n"}))
		at += pause
	}
	for _, s := range scenes {
		for typed := range strings.SplitSeq(withPrompts(s.input), "\n") {
			show(typed, typeDelay)
		}
		for printed := range strings.SplitSeq(s.output, "\n") {
			show(printed, printDelay)
		}
		at += readDelay
	}
	return b.String()
}

// withPrompts are commands as they are typed: behind a prompt, but for what they read.
func withPrompts(commands string) string {
	lines := strings.Split(commands, "\n")
	reading := false
	for i, line := range lines {
		if !reading {
			lines[i] = "$ " + line
		}
		reading = line != "END" && (reading || strings.HasSuffix(line, "<<'END'"))
	}
	return strings.Join(lines, "\n")
}

func castLine(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return string(text) + "\n"
}

// varyingPattern are identifiers and digests, which are others each time.
var varyingPattern = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}`)

// anonymise is a text with the same identifiers and digests each time, as long as they were.
func anonymise(text string) string {
	return varyingPattern.ReplaceAllStringFunc(text, func(found string) string {
		if len(found) == 64 {
			return strings.Repeat("0123456789abcdef", 4)
		}
		return "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	})
}

// compareFile holds what was made against what is stored.
func compareFile(t *testing.T, path, made string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(made), 0o600))
	}
	stored, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(stored), made, "make recording writes it anew")
}

// excerptPattern is where a document shows a scene.
var excerptPattern = regexp.MustCompile("(?s)(<!-- a scene of docs/tutorial.cast -->\n```text\n).*?(\n```\n)")

// compareExcerpt holds what a document shows of the recording against the recording.
func compareExcerpt(t *testing.T, path string, s castStep) {
	t.Helper()
	document, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, excerptPattern, string(document))
	text := strings.ReplaceAll(withPrompts(s.input)+"\n"+s.output, "$", "$$")
	compareFile(t, path, excerptPattern.ReplaceAllString(string(document), "${1}"+text+"${2}"))
}
