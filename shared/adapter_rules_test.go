package shared_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sqlMethods send SQL to the database.
var sqlMethods = map[string]bool{"Query": true, "QueryRow": true, "Exec": true, "SendBatch": true, "CopyFrom": true}

// The HTTP API opens transactions, and other packages know what to do in them.
func TestHTTPAPIRunsNoSQL(t *testing.T) {
	t.Parallel()
	files := 0
	for _, path := range sources(t, "httpapi") {
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 { // url.URL has a method Query without arguments
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && sqlMethods[f.Sel.Name] {
				t.Errorf("%s: %s runs SQL; move it to the package that owns the data", set.Position(call.Pos()), f.Sel.Name)
			}
			return true
		})
	}
	require.Greater(t, files, 50)
}

// Plans, undos, the history and new imports define what they need from the database; only the
// adapter knows how it is stored.
func TestDomainDoesNotImportAdapter(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"changes", "imports", "rows", "mapping", "entity", "job", "organisation", "profile", "output", "step/undo", "step/process"} {
		for _, path := range sources(t, folder) {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			require.NoError(t, err)
			for _, i := range file.Imports {
				if strings.Trim(i.Path.Value, `"`) == module+"/shared/postgres" {
					t.Errorf("%s imports shared/postgres", path)
				}
			}
		}
	}
}

// sources returns the Go files below a folder, without tests and test helpers.
func sources(t *testing.T, folder string) (paths []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS("."), folder, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, "testing/") {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}
