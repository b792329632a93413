// Package doctest extracts the commands of a document with their documented output, so that
// tests run them unchanged.
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

// Block is a block of commands of a document, with its documented output, if any.
type Block struct{ Commands, Output string }

// Read returns a document's blocks of commands, each with the text block that follows it.
func Read(t *testing.T, path string) (all []Block) {
	t.Helper()
	document, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?ms)^```(sh|text)\n(.*?)^```$").FindAllStringSubmatch(string(document), -1) {
		switch last := len(all) - 1; {
		case block[1] == "sh":
			all = append(all, Block{Commands: block[2]})
		case last >= 0 && all[last].Output == "":
			all[last].Output = block[2]
		}
	}
	require.NotEmpty(t, all)
	return all
}

// endMarker is printed after each block.
const endMarker = "--- end of block %d ---\n"

// Script joins the blocks into one shell script: later blocks can use variables and files of
// earlier ones.
func Script(blocks []Block) string {
	var b strings.Builder
	b.WriteString("set -e\n")
	for i, block := range blocks {
		b.WriteString(block.Commands)
		fmt.Fprintf(&b, "printf '\\n"+strings.ReplaceAll(endMarker, "\n", "\\n")+"'\n", i)
	}
	return b.String()
}

// CheckOutput compares the output of a script with the document and returns the output of
// each block.
func CheckOutput(t *testing.T, blocks []Block, output string) []string {
	t.Helper()
	texts := make([]string, len(blocks))
	for i, block := range blocks {
		printed, after, whole := strings.Cut(output, fmt.Sprintf(endMarker, i))
		require.True(t, whole, "it ended in\n%s\nwith\n%s", block.Commands, printed)
		texts[i] = strings.TrimSpace(printed)
		require.Regexp(t, outputPattern(block.Output), texts[i]+"\n", "of\n%s", block.Commands)
		output = after
	}
	return texts
}

// outputPattern returns a pattern for a text in which … matches any text and a line of …
// matches any lines. An empty text matches anything.
func outputPattern(printed string) string {
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
