// Package shared_test checks rules for all packages. testdata/imports.txt defines which packages
// may import which others. It keeps each package focused: steps do not know AWS, types do not
// know jobs, and only a function's main knows all its parts.
package shared_test

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/loadbay/loadbay"

// text/template and formula libraries find methods by name, which makes the linker keep every method
// of the program. The API function had 42 MB with such a library, and 26 MB without.
func TestFunctionsLinkNoReflectionLibraries(t *testing.T) {
	t.Parallel()
	folders, err := os.ReadDir("../functions")
	require.NoError(t, err)
	args := []string{"list", "-deps", "-tags", "lambda.norpc"}
	for _, f := range folders {
		if f.Name() != "migrate" { // runs once per deployment, and its library uses reflection
			args = append(args, "../functions/"+f.Name())
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	require.NoError(t, err)
	linked := strings.Fields(string(out))
	require.True(t, slices.Contains(linked, module+"/shared/httpapi"))
	for _, name := range []string{"github.com/xuri/excelize/v2", "text/template", "net/rpc"} {
		require.False(t, slices.Contains(linked, name), "no function links %s", name)
	}
}

// Only the analysis of a file and the drafts of declarations need the words of package concept. The
// binaries of other functions, the CLI and the reader of the browser would grow by them.
func TestOnlyMatchingAndDraftsLinkConcepts(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"../functions/analyze", "../functions/api"}, programsThatLink(t, module+"/shared/mapping/concept"))
}

// Only programs that check declarations or decode rows need expressions, which link an interpreter of
// several megabytes.
func TestOnlyDecodersLinkExpressions(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"../functions/api", "../functions/process"}, programsThatLink(t, "cel.dev/cel-go/interpreter"))
}

// programsThatLink returns the programs that contain a package.
func programsThatLink(t *testing.T, name string) (linking []string) {
	t.Helper()
	programs, err := os.ReadDir("../functions")
	require.NoError(t, err)
	paths := []string{"../cmd/loadbay", "../cmd/loadbay-local", "../console/reader/preview"}
	for _, f := range programs {
		paths = append(paths, "../functions/"+f.Name())
	}
	for _, path := range paths {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "lambda.norpc", path).Output()
		require.NoError(t, err, path)
		if slices.Contains(strings.Fields(string(out)), name) {
			linking = append(linking, path)
		}
	}
	return linking
}

// rule lists the imports that the packages of a row may have.
type rule struct {
	pattern string
	allowed []string
	used    map[string]bool // entries of allowed
}

func TestImportRule(t *testing.T) {
	t.Parallel()
	rules := readRules(t)
	imports := readImports(t)
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		r := ruleFor(rules, from)
		if r == nil {
			t.Errorf("%s has no row: list its allowed imports in testdata/imports.txt", from)
			continue
		}
		for _, to := range imports[from] {
			if !r.allows(to) {
				t.Errorf("%s imports %s, which its row does not allow", from, to)
			}
			if isWithin(to, "functions") {
				t.Errorf("%s imports %s: functions must not be imported", from, to)
			}
			for _, folder := range []string{"shared/step", "shared/entity"} {
				if isWithin(from, folder) && isWithin(to, folder) && to != folder && !maySeeVariants(from) && !usedByVariants(to) {
					t.Errorf("%s imports its sibling %s", from, to)
				}
			}
		}
	}
	for _, r := range rules {
		if r.used == nil {
			t.Errorf("package %s does not exist: remove its row", r.pattern)
		}
		for _, allowed := range r.allowed {
			if r.used != nil && !r.used[allowed] {
				t.Errorf("%s does not import %s: remove it from the row", r.pattern, allowed)
			}
		}
	}
}

// maySeeVariants reports whether a package may import the import types.
func maySeeVariants(path string) bool { return path == "shared/entity/catalog" }

// usedByVariants reports whether a package below shared/entity is not a type but part of their
// contract.
func usedByVariants(path string) bool {
	return slices.Contains([]string{"shared/entity/dupkeys", "shared/entity/points", "shared/entity/pgtable", "shared/entity/declared"}, path)
}

// allows reports whether a row lists the imported package, and records its use.
func (r *rule) allows(to string) bool {
	found := false
	for _, allowed := range r.allowed {
		if to == allowed || matchesPattern(to, allowed) {
			r.used[allowed], found = true, true
		}
	}
	return found
}

// readRules parses the rows.
func readRules(t *testing.T) []*rule {
	t.Helper()
	text, err := os.ReadFile("testdata/imports.txt")
	require.NoError(t, err)
	var rules []*rule
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		r := &rule{pattern: words[0]}
		for _, word := range words[1:] {
			if word != "|" {
				r.allowed = append(r.allowed, word)
			}
		}
		rules = append(rules, r)
	}
	require.NotEmpty(t, rules)
	return rules
}

// readImports lists the imports of each package outside of the standard library, in the notation of
// the rows.
func readImports(t *testing.T) map[string][]string {
	t.Helper()
	output, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	require.NoError(t, err)
	imports := make(map[string][]string)
	for line := range strings.Lines(string(output)) {
		words := strings.Fields(line)
		from := shorten(words[0])
		imports[from] = nil
		for _, to := range words[1:] {
			if strings.Contains(strings.Split(to, "/")[0], ".") {
				imports[from] = append(imports[from], shorten(to))
			}
		}
	}
	require.Greater(t, len(imports), 100)
	return imports
}

var versionSuffix = regexp.MustCompile(`/v\d+(/|$)`)

// shorten returns the rows' notation of an import path.
func shorten(path string) string {
	if own, ok := strings.CutPrefix(path, module+"/"); ok {
		return own
	}
	if sdk, ok := strings.CutPrefix(path, "github.com/aws/aws-sdk-go-v2/"); ok {
		return "aws/" + sdk
	}
	path = versionSuffix.ReplaceAllString(path, "$1")
	return strings.Join(strings.Split(path, "/")[:min(3, strings.Count(path, "/")+1)], "/")
}

// ruleFor returns the row of a package: its own, or else the longest that matches a parent folder.
func ruleFor(rules []*rule, from string) *rule {
	var best *rule
	for _, r := range rules {
		if r.pattern == from {
			best = r
			break
		}
		if matchesPattern(from, r.pattern) && (best == nil || len(r.pattern) > len(best.pattern)) {
			best = r
		}
	}
	if best != nil && best.used == nil {
		best.used = make(map[string]bool)
	}
	return best
}

// matchesPattern reports whether a pattern that ends in /... matches a package.
func matchesPattern(path, pattern string) bool {
	folder, ok := strings.CutSuffix(pattern, "/...")
	return ok && isWithin(path, folder)
}

func isWithin(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}
