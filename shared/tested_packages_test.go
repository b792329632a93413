package shared_test

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// packageFiles are the files of a package.
type packageFiles struct {
	folder   string
	files    []string
	hasTests bool
}

// TestEveryPackageIsTested checks the last line of the doc comment of each package without its own
// tests: it names the packages or the make target that test it, which must exist.
func TestEveryPackageIsTested(t *testing.T) {
	t.Parallel()
	packages := readSources(t)
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		p := packages[name]
		if p.hasTests || isWithin(name, "functions") { // infra/tests/e2e runs every function
			continue
		}
		testers := parseTesters(packageDoc(t, p))
		if len(testers) == 0 {
			t.Errorf("%s has no tests: end its doc comment with a line `Tested by <package path>: <what>.`", name)
		}
		for _, tester := range testers {
			if target, ok := strings.CutPrefix(tester, "make "); ok {
				require.Contains(t, string(makefile), "\n"+target+":", "the doc comment of %s names make %s, which does not exist", name, target)
				continue
			}
			if !packages[tester].hasTests {
				t.Errorf("the doc comment of %s names %s, which does not exist or has no tests", name, tester)
			}
		}
	}
}

var testedByPattern = regexp.MustCompile(`(?m)^Tested by (make [a-z-]+|[a-z0-9/]+(?: and [a-z0-9/]+)*): \S.*\.\s*\z`)

// parseTesters returns the testers named in the last line of a doc comment, or nothing.
func parseTesters(doc string) []string {
	found := testedByPattern.FindStringSubmatch(doc)
	if found == nil {
		return nil
	}
	return strings.Split(found[1], " and ")
}

// packageDoc returns a package's doc comment.
func packageDoc(t *testing.T, p packageFiles) string {
	t.Helper()
	for _, name := range p.files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.folder, name), nil, parser.PackageClauseOnly|parser.ParseComments)
		require.NoError(t, err)
		if file.Doc != nil {
			return file.Doc.Text()
		}
	}
	return ""
}

// readSources lists the packages by their paths in the module.
func readSources(t *testing.T) map[string]packageFiles {
	t.Helper()
	const format = `{{.ImportPath}}|{{.Dir}}|{{join .GoFiles " "}}|{{len .TestGoFiles}} {{len .XTestGoFiles}}`
	output, err := exec.Command("go", "list", "-f", format, module+"/...").Output()
	require.NoError(t, err)
	packages := make(map[string]packageFiles)
	for line := range strings.Lines(string(output)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		packages[shorten(parts[0])] = packageFiles{folder: parts[1], files: strings.Fields(parts[2]), hasTests: parts[3] != "0 0"}
	}
	require.Greater(t, len(packages), 100)
	return packages
}
