package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// lesson is a block of commands of the guide, with what it says they print, if it does.
type lesson struct{ commands, printed string }

// lessons are a document's blocks of commands, each with the block of text behind it.
func lessons(document string) (all []lesson) {
	for _, block := range regexp.MustCompile("(?ms)^```(sh|text)\n(.*?)^```$").FindAllStringSubmatch(document, -1) {
		switch last := len(all) - 1; {
		case block[1] == "sh":
			all = append(all, lesson{commands: block[2]})
		case last >= 0 && all[last].printed == "":
			all[last].printed = block[2]
		}
	}
	return all
}

// end is printed behind each block.
const end = "--- end of block %d ---\n"

// script are the blocks one behind the other: variables and files of one are those of the next.
func script(blocks []lesson) string {
	var b strings.Builder
	b.WriteString("set -e\n")
	for i, block := range blocks {
		b.WriteString(block.commands)
		fmt.Fprintf(&b, "printf '\\n"+strings.ReplaceAll(end, "\n", "\\n")+"'\n", i)
	}
	return b.String()
}

// TestTheGuideWorks runs all commands of docs/guide.md in a shell, as they stand but for
// the addresses of the stack, and holds what they print against what it says.
func TestTheGuideWorks(t *testing.T) {
	t.Parallel()
	s := stacktest.Start(t)
	text, err := os.ReadFile(filepath.Join(stacktest.Root(t), "docs", "guide.md"))
	require.NoError(t, err)
	blocks := lessons(string(text))
	if len(awsCommands(t)) == 0 {
		t.Log("there is no aws command here: the commands of the drop folder are left out")
		blocks = withoutAWS(blocks)
	}
	ctx, cancel := context.WithTimeout(t.Context(), stacktest.Timeout)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", strings.NewReplacer("127.0.0.1:8080", s.API, "127.0.0.1:4566", s.AWS).Replace(script(blocks)))
	shell.Dir = t.TempDir()
	shell.Env = append(os.Environ(), "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null")
	output, err := shell.Output()
	require.NoError(t, err, "it printed:\n%s", output)
	rest := string(output)
	for i, block := range blocks {
		printed, after, whole := strings.Cut(rest, fmt.Sprintf(end, i))
		require.True(t, whole)
		require.Regexp(t, pattern(block.printed), strings.TrimSpace(printed), "of\n%s", block.commands)
		rest = after
	}
}

// pattern is an expression for a text in which … stands for anything; nothing is for anything.
func pattern(printed string) string {
	if printed == "" {
		return ""
	}
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(printed)), "…", ".*") + "$"
}

func withoutAWS(blocks []lesson) (rest []lesson) {
	for _, b := range blocks {
		if !strings.Contains(b.commands, "\naws ") {
			rest = append(rest, b)
		}
	}
	return rest
}
