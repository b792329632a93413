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

// scene is what somebody types into a terminal, and what is printed.
type scene struct{ typed, printed string }

// The pace of a recording, in seconds: of typing a line, of printing one, and of reading
// what was printed.
const typing, printing, reading = 0.4, 0.1, 2.5

// cast is a recording as asciinema plays it (asciicast v2). Its times are made up, so that
// it is the same whenever it is made.
func cast(title string, scenes []scene) string {
	var b strings.Builder
	b.WriteString(line(map[string]any{"version": 2, "width": castColumns, "height": castRows, "title": title}))
	at := 0.5
	show := func(text string, pause float64) {
		b.WriteString(line([]any{json.Number(fmt.Sprintf("%.1f", at)), "o", text + "\r\n"}))
		at += pause
	}
	for _, s := range scenes {
		for typed := range strings.SplitSeq(prompted(s.typed), "\n") {
			show(typed, typing)
		}
		for printed := range strings.SplitSeq(s.printed, "\n") {
			show(printed, printing)
		}
		at += reading
	}
	return b.String()
}

// prompted are commands as they are typed: behind a prompt, but for what they read.
func prompted(commands string) string {
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

func line(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return string(text) + "\n"
}

// varying are identifiers and digests, which are others each time.
var varying = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}`)

// anonymous is a text with the same identifiers and digests each time, as long as they were.
func anonymous(text string) string {
	return varying.ReplaceAllStringFunc(text, func(found string) string {
		if len(found) == 64 {
			return strings.Repeat("0123456789abcdef", 4)
		}
		return "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	})
}

// holdFile holds what was made against what is stored.
func holdFile(t *testing.T, path, made string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(made), 0o600))
	}
	stored, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(stored), made, "make recording writes it anew")
}

// excerpt is where a document shows a scene.
var excerpt = regexp.MustCompile("(?s)(<!-- a scene of docs/tutorial.cast -->\n```text\n).*?(\n```\n)")

// holdExcerpt holds what a document shows of the recording against the recording.
func holdExcerpt(t *testing.T, path string, s scene) {
	t.Helper()
	document, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, excerpt, string(document))
	text := strings.ReplaceAll(prompted(s.typed)+"\n"+s.printed, "$", "$$")
	holdFile(t, path, excerpt.ReplaceAllString(string(document), "${1}"+text+"${2}"))
}
