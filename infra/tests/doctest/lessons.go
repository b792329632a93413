// Package doctest reads the commands of a document and what it says they print, so that
// tests run them as they stand.
//
// Tested by infra/tests/e2e and infra/tests/cli: the guide and the tutorial.
package doctest

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Lesson is a block of commands of a document, with what it says they print, if it does.
type Lesson struct{ Commands, Printed string }

// Read returns a document's blocks of commands, each with the block of text behind it.
func Read(t *testing.T, path string) (all []Lesson) {
	t.Helper()
	document, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?ms)^```(sh|text)\n(.*?)^```$").FindAllStringSubmatch(string(document), -1) {
		switch last := len(all) - 1; {
		case block[1] == "sh":
			all = append(all, Lesson{Commands: block[2]})
		case last >= 0 && all[last].Printed == "":
			all[last].Printed = block[2]
		}
	}
	require.NotEmpty(t, all)
	return all
}

// end is printed behind each block.
const end = "--- end of block %d ---\n"

// Script are the blocks one behind the other, for a shell: variables and files of one are
// those of the next.
func Script(blocks []Lesson) string {
	var b strings.Builder
	b.WriteString("set -e\n")
	for i, block := range blocks {
		b.WriteString(block.Commands)
		fmt.Fprintf(&b, "printf '\\n"+strings.ReplaceAll(end, "\n", "\\n")+"'\n", i)
	}
	return b.String()
}

// Hold holds what a script has printed against what the document says, and returns what
// each block has printed.
func Hold(t *testing.T, blocks []Lesson, output string) []string {
	t.Helper()
	texts := make([]string, len(blocks))
	for i, block := range blocks {
		printed, after, whole := strings.Cut(output, fmt.Sprintf(end, i))
		require.True(t, whole, "it ended in\n%s\nwith\n%s", block.Commands, printed)
		texts[i] = strings.TrimSpace(printed)
		require.Regexp(t, pattern(block.Printed), texts[i]+"\n", "of\n%s", block.Commands)
		output = after
	}
	return texts
}

// pattern is an expression for a text in which … stands for anything; nothing is for
// anything, and a line of … for any lines.
func pattern(printed string) string {
	if printed == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(printed), "\n") {
		if line == "…" {
			b.WriteString("(?:.*\n)*")
		} else {
			b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + "\n")
		}
	}
	return "^" + b.String() + "$"
}
