package shared_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxDocumentWidth is the column at which the text of documents wraps.
const maxDocumentWidth = 100

var (
	addressPattern = regexp.MustCompile(`\]\([^)]*\)`)
	// commandPattern matches what has to be on one line to be copied.
	commandPattern = regexp.MustCompile("`[^`]{60,}`")
	// unwrapped matches lines that cannot wrap: of tables, headings, HTML, indented code, and with a
	// single word.
	unwrapped = regexp.MustCompile(`^( *[|<#]|    +[^ ]|[ *+-]*\S+$)`)
)

// TestDocumentsAreWrapped does not count the addresses of links and long commands.
func TestDocumentsAreWrapped(t *testing.T) {
	t.Parallel()
	for _, path := range documents(t) {
		if strings.Contains(path, "testdata/") {
			continue
		}
		for line := range strings.Lines(readDocument(t, path)) {
			line = commandPattern.ReplaceAllString(addressPattern.ReplaceAllString(strings.TrimRight(line, "\n"), "]"), "`")
			if utf8.RuneCountInString(line) > maxDocumentWidth && !unwrapped.MatchString(line) {
				t.Errorf("%s: a line is longer than %d characters: %s", path, maxDocumentWidth, line)
			}
		}
	}
}
