package intrinsic

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// maxDepth is how deep calls may nest, as on AWS.
const maxDepth = 10

// parser walks over one call.
type parser struct {
	text  string
	at    int
	depth int
}

func (p *parser) fault(format string, args ...any) error {
	return fmt.Errorf("%q is neither a path nor a call of an intrinsic function: %s (at %d)", p.text, fmt.Sprintf(format, args...), p.at)
}

func (p *parser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

func (p *parser) next() byte {
	p.space()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// call reads "States.Name(argument, …)".
func (p *parser) call() (Expression, error) {
	p.space()
	start := p.at
	open := strings.IndexByte(p.text[p.at:], '(')
	if open < 0 {
		return nil, p.fault("( expected")
	}
	name := p.text[p.at : p.at+open]
	f, ok := functions()[name]
	if !ok {
		return nil, p.fault("there is no function %q", name)
	}
	if p.depth++; p.depth > maxDepth {
		return nil, p.fault("calls nest deeper than %d", maxDepth)
	}
	p.at += open + 1
	args, err := p.arguments()
	if err != nil {
		return nil, err
	}
	p.depth--
	if len(args) < f.least || (f.most >= 0 && len(args) > f.most) {
		return nil, p.fault("%s does not take %d arguments", name, len(args))
	}
	return call{text: p.text[start:p.at], function: f, args: args}, nil
}

// arguments reads up to and with the closing parenthesis.
func (p *parser) arguments() ([]Expression, error) {
	if p.next() == ')' {
		p.at++
		return nil, nil
	}
	var args []Expression
	for {
		arg, err := p.argument()
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
		switch p.next() {
		case ',':
			p.at++
		case ')':
			p.at++
			return args, nil
		default:
			return nil, p.fault(", or ) expected")
		}
	}
}

func (p *parser) argument() (Expression, error) {
	switch c := p.next(); c {
	case '\'':
		return p.quoted()
	case '$':
		return p.path()
	case 'S':
		return p.call()
	default:
		return p.constant()
	}
}

// quoted reads a string in single quotes. \' \{ \} and \\ stand for the
// character after the backslash; no other escape exists.
func (p *parser) quoted() (Expression, error) {
	start := p.at
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case '\'':
			p.at++
			return literal{raw: p.text[start:p.at], value: b.String()}, nil
		case '\\':
			p.at++
			if p.at == len(p.text) || !strings.ContainsRune(`'{}\`, rune(p.text[p.at])) {
				return nil, p.fault("unknown escape")
			}
			b.WriteByte(p.text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	return nil, p.fault("a string is not closed")
}

// path reads a path: it ends at the first comma, space or parenthesis that
// stands neither in brackets nor in quotes.
func (p *parser) path() (Expression, error) {
	start, brackets, quote := p.at, 0, byte(0)
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case brackets > 0 && (c == '\'' || c == '"'):
			quote = c
		case c == '[':
			brackets++
		case c == ']':
			brackets--
		case brackets == 0 && (c == ',' || c == ')' || c == ' '):
			return p.parsedPath(start)
		}
	}
	return p.parsedPath(start)
}

func (p *parser) parsedPath(start int) (Expression, error) {
	parsed, err := jsonpath.Parse(p.text[start:p.at])
	if err != nil {
		return nil, p.fault("%v", err)
	}
	return path{parsed}, nil
}

// constantPattern is a number, true, false or null.
const constantPattern = `^(?:-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)`

func (p *parser) constant() (Expression, error) {
	raw := regexp.MustCompile(constantPattern).FindString(p.text[p.at:])
	if raw == "" {
		return nil, p.fault("a string, a number, true, false, null, a path or a call expected")
	}
	p.at += len(raw)
	var value any
	switch raw {
	case "true":
		value = true
	case "false":
		value = false
	case "null":
	default:
		value = json.Number(raw)
	}
	return literal{raw: raw, value: value}, nil
}
