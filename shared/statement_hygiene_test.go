package shared_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// Statements that are put together from parts are checked as they are sent, by
// shared/postgres.TestStatementsArePortable.
func TestSourcesHaveNoUnportableStatements(t *testing.T) {
	t.Parallel()
	for _, path := range sources(t, ".") {
		if strings.HasPrefix(path, "testing/") || path == "postgres/schema/leave_public.go" {
			continue // tests, and the move out of the schema public
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			if literal, is := node.(*ast.BasicLit); is && literal.Kind == token.STRING && postgrestest.Unportable.MatchString(literal.Value) {
				t.Errorf("%s: find rows by their keys, name the constraint, or assign the value: %s", path, literal.Value)
			}
			return true
		})
	}
}
