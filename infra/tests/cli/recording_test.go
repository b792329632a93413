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

var update = flag.Bool("update", false, "rewrite docs/tutorial.cast and what the README shows of it")

// Size of the recorded terminal.
const (
	castRows    = 40
	castColumns = 120
)

// castStep is typed input and the output that follows.
type castStep struct{ input, output string }

// Pace of a recording, in seconds: to type a line, to print one, and to read the printed
// output.
const typeDelay, printDelay, readDelay = 0.4, 0.1, 2.5

// recording returns a recording for asciinema (asciicast v2). Its times are artificial, so that
// every recording of the same scenes is identical.
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

// withPrompts adds a prompt to each command, but not to the input that commands read.
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
		panic(err) // impossible for texts and numbers
	}
	return string(text) + "\n"
}

// varyingPattern matches identifiers and digests, which differ in each run.
var varyingPattern = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}`)

// anonymise replaces identifiers and digests with fixed ones of the same length.
func anonymise(text string) string {
	return varyingPattern.ReplaceAllStringFunc(text, func(found string) string {
		if len(found) == 64 {
			return strings.Repeat("0123456789abcdef", 4)
		}
		return "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	})
}

// compareFile compares the generated content with the stored file.
func compareFile(t *testing.T, path, made string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(made), 0o600))
	}
	stored, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(stored), made, "the recording is out of date: run make recording")
}

// excerptPattern matches the place where a document shows a scene.
var excerptPattern = regexp.MustCompile("(?s)(<!-- a scene of docs/tutorial.cast -->\n```text\n).*?(\n```\n)")

// compareExcerpt compares a document's excerpt with the recording.
func compareExcerpt(t *testing.T, path string, s castStep) {
	t.Helper()
	document, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, excerptPattern, string(document))
	text := strings.ReplaceAll(withPrompts(s.input)+"\n"+s.output, "$", "$$")
	compareFile(t, path, excerptPattern.ReplaceAllString(string(document), "${1}"+text+"${2}"))
}
