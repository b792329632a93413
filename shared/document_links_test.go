package shared_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	linkPattern    = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)`)
	headingPattern = regexp.MustCompile(`(?m)^#{1,6}\s+(.+?)\s*#*$`)
	fencePattern   = regexp.MustCompile("(?ms)^\\s*```.*?^\\s*```")
	codePattern    = regexp.MustCompile("`[^`\n]*`")
	slugPattern    = regexp.MustCompile(`[^\p{L}\p{N}\s_-]`)
)

// TestDocumentLinksResolve checks that every relative link of a Markdown file names a file
// of the repository and a heading in it.
func TestDocumentLinksResolve(t *testing.T) {
	t.Parallel()
	links := 0
	for _, path := range documents(t) {
		if path == "cmd/loadbay/internal/manual/introduction.md" {
			continue // a part of docs/cli.md
		}
		for _, link := range relativeLinks(readDocument(t, path)) {
			links++
			target, anchor, _ := strings.Cut(link, "#")
			file := path
			if target != "" {
				file = filepath.Join(filepath.Dir(path), target)
			}
			if _, err := os.Stat(filepath.Join("..", file)); err != nil {
				t.Errorf("%s links to %s, which does not exist", path, link)
				continue
			}
			if anchor != "" && strings.HasSuffix(file, ".md") && !headings(readDocument(t, file))[anchor] {
				t.Errorf("%s links to %s, which has no such heading", path, link)
			}
		}
	}
	require.Greater(t, links, 100)
}

// documents returns the paths of all documents.
func documents(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", "..", "ls-files", "*.md").Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

func readDocument(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", path))
	require.NoError(t, err)
	return fencePattern.ReplaceAllString(string(text), "")
}

// relativeLinks returns the targets of a document's links that are not addresses.
func relativeLinks(text string) []string {
	var links []string
	for _, match := range linkPattern.FindAllStringSubmatch(codePattern.ReplaceAllString(text, ""), -1) {
		if link := match[1]; !strings.Contains(link, "://") && !strings.HasPrefix(link, "mailto:") {
			links = append(links, link)
		}
	}
	return links
}

// headings returns the anchors of a document's headings, as GitHub builds them.
func headings(text string) map[string]bool {
	anchors := make(map[string]bool)
	for _, match := range headingPattern.FindAllStringSubmatch(text, -1) {
		title := strings.ToLower(linkPattern.ReplaceAllString(match[1], "]"))
		anchors[strings.ReplaceAll(slugPattern.ReplaceAllString(title, ""), " ", "-")] = true
	}
	return anchors
}
