package problem_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

var update = flag.Bool("update", false, "rewrite docs/errors.md")

// referenceIntroduction is the beginning of docs/errors.md.
const referenceIntroduction = `# Errors and warnings

This page is generated from [errors.txt](../shared/problem/errors.txt) by ` + "`make docs`" + `. Every
error has a code that never changes: in ` + "`code`" + ` of a response, in the errors of a row, in the
failure of an import and in its warnings. The message says more about the case at hand.

The ` + "`type`" + ` of a problem is an address of the installation, such as ` + "`/problems/NOT_FOUND`" + `. It
needs no sign-in, and describes the code as a page for people and as JSON for programs.
`

// sectionTitles are the titles for the groups of codes, by the beginning of their comments.
var sectionTitles = []struct{ begin, title string }{
	{"Errors of a request", "Errors of a request"},
	{"Errors of a whole file", "Errors of a file"},
	{"Errors of one row", "Errors of a row"},
	{"Warnings report", "Warnings"},
	{"Warnings about old", "Warnings about old workbooks"},
}

// TestErrorReference compares docs/errors.md with the codes: each has a cause and a remedy.
func TestErrorReference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("errors.txt")
	require.NoError(t, err)
	entries := make(map[problem.Code][2]string)
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		require.Len(t, parts, 3, "use: CODE | cause | remedy: %s", line)
		entries[problem.Code(parts[0])] = [2]string{parts[1], parts[2]}
	}
	var b strings.Builder
	b.WriteString(referenceIntroduction)
	for _, g := range declaredCodes(t) {
		fmt.Fprintf(&b, "\n## %s\n\n| code | status | cause | remedy |\n|---|---|---|---|\n", sectionTitle(t, g.comment))
		for _, code := range g.codes {
			entry, ok := entries[code]
			require.True(t, ok, "describe %s in errors.txt", code)
			described, ok := problem.Describe(code)
			require.True(t, ok, "%s", code)
			require.Equal(t, problem.Description{Cause: entry[0], Remedy: entry[1]}, described)
			status := "-"
			if _, ofRequest := statuses[code]; ofRequest {
				status = fmt.Sprint(code.Status())
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", code, status, entry[0], entry[1])
			delete(entries, code)
		}
	}
	require.Empty(t, entries, "these codes do not exist")
	_, known := problem.Describe("NOT")
	require.False(t, known, "a part of a code")
	path := filepath.Join("..", "..", "docs", "errors.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	}
	stored, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(stored), b.String(), "docs are out of date: run make docs")
}

func sectionTitle(t *testing.T, comment string) string {
	t.Helper()
	for _, s := range sectionTitles {
		if strings.HasPrefix(comment, s.begin) {
			return s.title
		}
	}
	require.Fail(t, "no title for this group of codes", comment)
	return ""
}
