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

// Block is a block of commands of a document, with what it says they print, if it does.
type Block struct{ Commands, Output string }

// Read returns a document's blocks of commands, each with the block of text behind it.
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

// endMarker is printed behind each block.
const endMarker = "--- end of block %d ---\n"

// Script are the blocks one behind the other, for a shell: variables and files of one are
// those of the next.
func Script(blocks []Block) string {
	var b strings.Builder
	b.WriteString("set -e\n")
	for i, block := range blocks {
		b.WriteString(block.Commands)
		fmt.Fprintf(&b, "printf '\\n"+strings.ReplaceAll(endMarker, "\n", "\\n")+"'\n", i)
	}
	return b.String()
}

// CheckOutput holds what a script has printed against what the document says, and returns what
// each block has printed.
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

// outputPattern is an expression for a text in which … stands for anything; nothing is for
// anything, and a line of … for any lines.
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
