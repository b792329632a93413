package shared_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// message is a message for people as in the source: a format and its arguments.
type message struct {
	position token.Position
	text     string
	args     []ast.Expr
}

// TestMessagesAreSentences checks every message of the product in the source: in problems, row
// errors and failures of jobs. They are for people who have never seen the code.
func TestMessagesAreSentences(t *testing.T) {
	t.Parallel()
	found := readMessages(t)
	require.Greater(t, len(found), 200, "more than 200 messages are found")
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
	// bareState: the code of a state follows its description, in brackets.
	bareState = regexp.MustCompile(`(?:is|not|as) (?:[A-Z]+_[A-Z_]+|PROCESSING|UPLOADED|COMPLETED|FAILED|CANCELLED)\b`)
	stateArg  = regexp.MustCompile(`(?i)(^|\.)(status|state)$`)
	listArg   = regexp.MustCompile(`(?:Modes|Formats\(\)|Values|Enum|Allowed|Names)$`)
)

// hasArgument reports whether the message has an argument with that name.
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

// readMessages returns the messages of all packages, except tests and test helpers.
func readMessages(t *testing.T) (found []message) {
	t.Helper()
	for _, path := range sources(t, ".") {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if e, args, ok := messageIn(n); ok {
				if text, ok := messageText(e); ok {
					found = append(found, message{set.Position(n.Pos()), text, args})
				}
			}
			return true
		})
	}
	return found
}

// helpers are functions that create a problem from a message only, with the position of that
// argument.
var helpers = map[string]int{"misplaced": 0, "invalidFilename": 0, "invalid": 1}

// messageIn returns the message in a call or literal that creates one: the argument after a
// problem's code, or that of a helper.
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

// messageText returns the text in an expression that creates a message, with %s for its
// arguments; false if there is none.
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
