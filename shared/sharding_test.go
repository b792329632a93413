package shared_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateUnsharded = flag.Bool("update", false, "rewrite testdata/unsharded.txt")

const (
	shardKey      = "organisation_id"
	unshardedFile = "testdata/unsharded.txt"
)

// Lists the statements and keys that do not identify their organisation: statements on tables
// with an organisation column, and keys of those tables; a primary key begins with it. One database finds the rows by
// its policies; with several databases they could not be routed. docs/beyond-one-database.md uses
// the list. A statement that names the organisation is not listed.
func TestUnshardedStatementsAndKeysAreListed(t *testing.T) {
	t.Parallel()
	tables, found := ownedTables(t)
	require.Greater(t, len(tables), 30)
	statements := 0
	for _, path := range sources(t, ".") {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, s := range findStatements(file, tables) {
			if statements++; !s.sharded {
				found = append(found, fmt.Sprintf("statement %s %s: %s", path, s.function, strings.Join(s.tables, " ")))
			}
		}
	}
	require.Greater(t, statements, 100)
	slices.Sort(found)
	text := strings.Join(slices.Compact(found), "\n") + "\n"
	if *updateUnsharded {
		require.NoError(t, os.WriteFile(unshardedFile, []byte(text), 0o644))
	}
	listed, err := os.ReadFile(unshardedFile)
	require.NoError(t, err)
	require.Equal(t, string(listed), text, "use organisation_id in the statement, or list it with: go test ./shared -run TestUnshardedStatementsAndKeysAreListed -update")
}

var (
	tablePattern  = regexp.MustCompile(`(?s)CREATE TABLE (?:loadbay|sample)\.(\w+) \((.*?)\n\)`)
	keyPattern    = regexp.MustCompile(`CONSTRAINT (\w+) (PRIMARY KEY|UNIQUE) \(([^)]*)\)`)
	uniquePattern = regexp.MustCompile(`CREATE UNIQUE INDEX (\w+) ON (?:loadbay|sample)\.(\w+) USING btree \((.*?)\)(?: WHERE|;)`)
)

// ownedTables returns the tables with an organisation's rows, and those of their keys that do not
// include the organisation.
func ownedTables(t *testing.T) (tables map[string]bool, keys []string) {
	t.Helper()
	schema, err := os.ReadFile("../docs/schema.sql")
	require.NoError(t, err)
	tables = make(map[string]bool)
	for _, table := range tablePattern.FindAllStringSubmatch(string(schema), -1) {
		if !strings.Contains(table[2], "\n    "+shardKey) {
			continue
		}
		tables[table[1]] = true
		for _, key := range keyPattern.FindAllStringSubmatch(table[2], -1) {
			if sharded := strings.Contains(key[3], shardKey); !sharded || key[2] == "PRIMARY KEY" && !strings.HasPrefix(key[3], shardKey) {
				keys = append(keys, fmt.Sprintf("key %s %s: %s", table[1], key[1], key[3]))
			}
		}
	}
	for _, index := range uniquePattern.FindAllStringSubmatch(string(schema), -1) {
		if tables[index[2]] && !strings.Contains(index[3], shardKey) {
			keys = append(keys, fmt.Sprintf("key %s %s: %s", index[2], index[1], index[3]))
		}
	}
	return tables, keys
}

// statement is an SQL statement on tables with an organisation's rows.
type statement struct {
	function string
	tables   []string
	sharded  bool
}

var (
	statementStart   = regexp.MustCompile(`(?is)^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|MERGE)\s`)
	usedTablePattern = regexp.MustCompile(`\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:(?:loadbay|sample)\.)?([a-z_]+)`)
)

// findStatements returns the statements in the string literals of a file, each with all literals
// that are concatenated to it.
func findStatements(file *ast.File, tables map[string]bool) []statement {
	var found []statement
	for _, declared := range file.Decls {
		function := "var"
		if f, is := declared.(*ast.FuncDecl); is {
			function = f.Name.Name
		}
		ast.Inspect(declared, func(node ast.Node) bool {
			expression, is := node.(ast.Expr)
			if !is {
				return true
			}
			text, literal := sqlText(expression)
			if !literal {
				return true
			}
			if s := (statement{function: function, sharded: strings.Contains(text, shardKey)}); statementStart.MatchString(text) {
				for _, used := range usedTablePattern.FindAllStringSubmatch(text, -1) {
					if tables[used[1]] {
						s.tables = append(s.tables, used[1])
					}
				}
				slices.Sort(s.tables)
				if s.tables = slices.Compact(s.tables); len(s.tables) > 0 {
					found = append(found, s)
				}
			}
			return false
		})
	}
	return found
}

// sqlText returns the statically known part of a text, and whether there is any.
func sqlText(e ast.Expr) (text string, literal bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		left, one := sqlText(e.X)
		right, other := sqlText(e.Y)
		return left + " " + right, one || other
	}
	return "", false
}

// Only a statement that does not name the organisation is listed.
func TestShardKeyDetection(t *testing.T) {
	t.Parallel()
	const source = "package p\nfunc f() { x(`SELECT a FROM owned WHERE `+c+` AND organisation_id = $1`); y(`UPDATE owned SET a = 1`); z(`SELECT 1 FROM shared`); w(`not SQL FROM owned`) }"
	file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	require.NoError(t, err)
	require.Equal(t, []statement{{"f", []string{"owned"}, true}, {"f", []string{"owned"}, false}}, findStatements(file, map[string]bool{"owned": true}))
}
