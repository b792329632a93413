package shared_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// message is a text for people as the source has it: a format, and what is put into it.
type message struct {
	position token.Position
	text     string
	args     []ast.Expr
}

// TestMessagesAreSentences reads every message of the product where it is written: in
// problems, row errors and failures of jobs. They are for somebody who has never seen
// the code.
func TestMessagesAreSentences(t *testing.T) {
	t.Parallel()
	found := readMessages(t)
	require.Greater(t, len(found), 200, "the messages are found")
	for _, m := range found {
		for fault, is := range map[string]bool{
			"does not end like a sentence":                 !sentenceEnd.MatchString(m.text),
			"does not begin like a sentence":               !sentenceBegin.MatchString(m.text),
			"may show a value as Go prints it":             goVerb.MatchString(m.text),
			"names a state of the code without its words":  bareState.MatchString(m.text) || m.hasArgument(stateArg),
			"shows a list as Go prints it: problem.OneOf":  m.hasArgument(listArg),
			"says that something is invalid, and not what": strings.Contains(strings.ToLower(m.text), "invalid"),
		} {
			if is {
				t.Errorf("%s: %q %s", m.position, m.text, fault)
			}
		}
	}
}

var (
	sentenceEnd   = regexp.MustCompile(`(\.|\?|%s)$`)
	sentenceBegin = regexp.MustCompile(`^[A-Z0-9%]`)
	goVerb        = regexp.MustCompile(`%[#+]?[vT]`)
	// bareState: the code of a state stands in brackets behind what it means.
	bareState = regexp.MustCompile(`(?:is|not|as) (?:[A-Z]+_[A-Z_]+|PROCESSING|UPLOADED|COMPLETED|FAILED|CANCELLED)\b`)
	stateArg  = regexp.MustCompile(`(?i)(^|\.)(status|state)$`)
	listArg   = regexp.MustCompile(`(?:Modes|Formats\(\)|Values|Enum|Allowed|Names)$`)
)

// hasArgument reports whether something of that name is put into the message.
func (m *message) hasArgument(name *regexp.Regexp) bool {
	for _, arg := range m.args {
		var text string
		switch arg := arg.(type) {
		case *ast.Ident:
			text = arg.Name
		case *ast.SelectorExpr:
			text = "." + arg.Sel.Name
		case *ast.CallExpr:
			if f, ok := arg.Fun.(*ast.SelectorExpr); ok {
				text = f.Sel.Name + "()"
			}
		}
		if name.MatchString(text) {
			return true
		}
	}
	return false
}

// readMessages are those of all packages, but for tests and what helps them.
func readMessages(t *testing.T) (found []message) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "testing/") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if e, args, ok := messageIn(n); ok {
				if text, ok := messageText(e); ok {
					found = append(found, message{set.Position(n.Pos()), text, args})
				}
			}
			return true
		})
		return nil
	}))
	return found
}

// helpers are functions that make a problem of a message alone, and where they take it.
var helpers = map[string]int{"misplaced": 0, "invalidFilename": 0, "invalid": 1}

// messageIn is the message in a call or literal that makes one: what follows a
// problem's code, or is given to a helper.
func messageIn(n ast.Node) (text ast.Expr, args []ast.Expr, ok bool) {
	switch n := n.(type) {
	case *ast.CallExpr:
		for i, arg := range n.Args[:max(len(n.Args)-1, 0)] {
			if code, is := arg.(*ast.SelectorExpr); is && isIdentifier(code.X, "problem") {
				return n.Args[i+1], n.Args[i+2:], true
			}
		}
		name := ""
		switch f := n.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = f.Sel.Name
		}
		if at, is := helpers[name]; is && len(n.Args) > at {
			return n.Args[at], n.Args[at+1:], true
		}
	case *ast.KeyValueExpr:
		return n.Value, nil, isIdentifier(n.Key, "Message")
	}
	return nil, nil, false
}

func isIdentifier(e ast.Expr, name string) bool {
	x, is := e.(*ast.Ident)
	return is && x.Name == name
}

// messageText is the text in an expression that makes a message, with %s for what is put
// into it; false where there is none in it.
func messageText(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text, true
		}
	case *ast.BinaryExpr:
		left, one := messageText(e.X)
		right, other := messageText(e.Y)
		return left + right, one || other
	case *ast.CallExpr:
		if f, is := e.Fun.(*ast.SelectorExpr); is && f.Sel.Name == "Sprintf" {
			return messageText(e.Args[0])
		}
	}
	return "%s", false
}
