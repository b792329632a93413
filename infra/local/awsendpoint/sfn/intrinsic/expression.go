// Package intrinsic parses and evaluates the value of a field with a name
// that ends in ".$": a path, or a call such as States.Format('{} of {}', $.done, $.all).
// States.Format is the only intrinsic function supported; all others are rejected.
// Source: https://states-language.net/spec.html#appendix-b
package intrinsic

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// Expression is a parsed path or call.
type Expression interface {
	// Eval returns the value, or a *jsonpath.MissingError if a path does not exist.
	Eval(scope jsonpath.Scope) (any, error)
	// String returns the expression as written.
	String() string
}

// formatPattern matches the template, in which ' { } and \ are escaped, and the
// paths. A string has no other escapes.
var formatPattern = regexp.MustCompile(`^States\.Format\( *'((?:[^'\\]|\\['{}\\])*)'((?: *, *\$[^, )]*)*) *\)$`)

// functionPattern matches the function name of any call.
var functionPattern = regexp.MustCompile(`^(States\.\w+) *\(`)

// Parse parses a path ("$…", "$$…") or a call of States.Format on paths.
func Parse(text string) (Expression, error) {
	if strings.HasPrefix(text, "$") {
		p, err := jsonpath.Parse(text)
		return path{p}, err
	}
	if match := formatPattern.FindStringSubmatch(text); match != nil {
		return parseFormat(text, match[1], match[2])
	}
	if match := functionPattern.FindStringSubmatch(text); match != nil && match[1] != "States.Format" {
		return nil, fmt.Errorf("the intrinsic function '%s' is not supported", match[1])
	}
	return nil, fmt.Errorf("%q is neither a path nor States.Format('…', $.path, …)", text)
}

type path struct{ jsonpath.Path }

func (p path) Eval(scope jsonpath.Scope) (any, error) { return p.Get(scope) }

// format inserts the values of its paths between its pieces.
type format struct {
	text   string
	pieces []string
	args   []jsonpath.Path
}

func parseFormat(text, template, args string) (Expression, error) {
	f := format{text: text, pieces: splitTemplate(template)}
	for arg := range strings.SplitSeq(args, ",") {
		if arg = strings.TrimSpace(arg); arg == "" { // before the first comma
			continue
		}
		p, err := jsonpath.Parse(arg)
		if err != nil {
			return nil, err
		}
		f.args = append(f.args, p)
	}
	if places := len(f.pieces) - 1; places != len(f.args) {
		return nil, fmt.Errorf("%q has %d places for %d arguments", text, places, len(f.args))
	}
	return f, nil
}

// splitTemplate splits a template at its placeholders, {}, and resolves its escapes.
func splitTemplate(template string) []string {
	var all []string
	var b strings.Builder
	for i := 0; i < len(template); i++ {
		switch {
		case template[i] == '\\':
			i++
			b.WriteByte(template[i])
		case strings.HasPrefix(template[i:], "{}"):
			all = append(all, b.String())
			b.Reset()
			i++
		default:
			b.WriteByte(template[i])
		}
	}
	return append(all, b.String())
}

func (f format) String() string { return f.text }

func (f format) Eval(scope jsonpath.Scope) (any, error) {
	var b strings.Builder
	for i, piece := range f.pieces {
		b.WriteString(piece)
		if i == len(f.args) {
			break
		}
		value, err := f.args[i].Get(scope)
		if err != nil {
			return nil, err
		}
		shown, err := formatValue(value)
		if err != nil {
			return nil, err
		}
		b.WriteString(shown)
	}
	return b.String(), nil
}

// formatValue returns a string unchanged and encodes every other value as JSON.
func formatValue(value any) (string, error) {
	if s, ok := value.(string); ok {
		return s, nil
	}
	text, err := jsonpath.Encode(value)
	return string(text), err
}
