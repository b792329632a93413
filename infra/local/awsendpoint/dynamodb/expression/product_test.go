package expression_test

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb/expression"
)

// sent is an expression that the product sends.
type sent struct{ kind, source, position string }

// TestProductExpressionsAreAccepted parses every expression in the source of the product.
func TestProductExpressionsAreAccepted(t *testing.T) {
	t.Parallel()
	kinds := make(map[string]bool)
	for _, s := range readSent(t) {
		kinds[s.kind] = true
		subs := placeholdersIn(t, s.source)
		var err error
		switch s.kind {
		case "ConditionExpression":
			_, err = expression.ParseCondition(s.source, subs)
		case "UpdateExpression":
			_, err = expression.ParseUpdate(s.source, subs)
		case "KeyConditionExpression":
			_, err = expression.ParseKeyCondition(s.source, "pk", "sk", subs)
		case "ProjectionExpression":
			_, err = expression.ParseProjection(s.source, subs)
		default:
			t.Errorf("%s: %s is not implemented", s.position, s.kind)
		}
		require.NoError(t, err, "%s: %s", s.position, s.source)
		require.NoError(t, subs.CheckUsed())
	}
	require.Len(t, kinds, 4, "the expressions are found")
}

// TestProductNeedsEveryFeature checks that the product sends each function and operator that this
// package implements.
func TestProductNeedsEveryFeature(t *testing.T) {
	t.Parallel()
	var words []string
	for _, s := range readSent(t) {
		words = append(words, wordPattern.FindAllString(s.source, -1)...)
	}
	for _, feature := range []string{"attribute_not_exists", "begins_with", "if_not_exists", "AND", "OR", "=", "<", "<=", "+", "(", "SET", "REMOVE"} {
		require.Contains(t, words, feature)
	}
}

// wordPattern matches a name, a placeholder or an operator.
var wordPattern = regexp.MustCompile(`[#:]?\w+|[<>=]+|[+(-]`)

// placeholdersIn defines every #name and :value in an expression.
func placeholdersIn(t *testing.T, source string) *expression.Placeholders {
	t.Helper()
	var names map[string]string
	var values expression.Item
	for _, word := range wordPattern.FindAllString(source, -1) {
		switch {
		case strings.HasPrefix(word, "#"):
			if names == nil {
				names = make(map[string]string)
			}
			names[word] = word[1:]
		case strings.HasPrefix(word, ":"):
			if values == nil {
				values = make(expression.Item)
			}
			values[word] = expression.Value{Kind: expression.String, Text: "v"}
		}
	}
	subs, err := expression.NewPlaceholders(names, values)
	require.NoError(t, err)
	return subs
}

// readSent returns the expressions in the packages of the product that use DynamoDB: everything
// outside of infra.
func readSent(t *testing.T) (found []sent) {
	t.Helper()
	root, err := filepath.Abs("../../../../..")
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != root && (name == "infra" || name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		found = append(found, sentBy(t, path)...)
		return nil
	}))
	return found
}

// sentBy returns the expressions in the package of a folder: what is assigned to a field that is
// named after an expression.
func sentBy(t *testing.T, folder string) (found []sent) {
	t.Helper()
	set := token.NewFileSet()
	files := parsePackage(t, set, folder)
	if len(files) == 0 {
		return nil
	}
	// Imports are not resolved: only the package's own constants are needed.
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	_, _ = config.Check(folder, set, files, info)
	add := func(target, value ast.Expr) {
		kind := fieldName(target)
		if !strings.HasSuffix(kind, "Expression") {
			return
		}
		position := set.Position(value.Pos()).String()
		call, ok := value.(*ast.CallExpr) // aws.String
		require.True(t, ok && len(call.Args) == 1, "%s: want a call of aws.String", position)
		source := info.Types[call.Args[0]].Value
		require.NotNil(t, source, "%s: want a constant expression", position)
		found = append(found, sent{kind, constant.StringVal(source), position})
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				add(n.Key, n.Value)
			case *ast.AssignStmt:
				for i := range min(len(n.Lhs), len(n.Rhs)) {
					add(n.Lhs[i], n.Rhs[i])
				}
			}
			return true
		})
	}
	return found
}

func fieldName(target ast.Expr) string {
	switch target := target.(type) {
	case *ast.Ident:
		return target.Name
	case *ast.SelectorExpr:
		return target.Sel.Name
	}
	return ""
}

// parsePackage returns the files of a folder, except tests, if one of them uses DynamoDB.
func parsePackage(t *testing.T, set *token.FileSet, folder string) (files []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	uses := false
	for _, entry := range entries {
		if name := entry.Name(); !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, filepath.Join(folder, entry.Name()), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			uses = uses || path == "github.com/aws/aws-sdk-go-v2/service/dynamodb"
		}
	}
	if !uses {
		return nil
	}
	return files
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) {
	return nil, errors.New("imports are not resolved")
}
