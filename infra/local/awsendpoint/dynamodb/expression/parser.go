package expression

import (
	"errors"
	"strings"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// parser reads one expression from its tokens.
type parser struct {
	source       string
	tokens       []token
	next         int
	placeholders *Placeholders
	depth        int
}

// maxDepth bounds nested parentheses and NOTs; DynamoDB allows 300 operators.
const maxDepth = 300

// parse runs a rule over a whole expression. what is the expression's name in
// the request, which faults begin with.
func parse[T any](what, source string, subs *Placeholders, rule func(*parser) (T, error)) (T, error) {
	out, err := parseAll(source, subs, rule)
	var fault *awsjson.Error
	if errors.As(err, &fault) && strings.HasSuffix(fault.Code, "ValidationException") {
		return out, validationError("Invalid %s: %s", what, fault.Message)
	}
	return out, err
}

func parseAll[T any](source string, subs *Placeholders, rule func(*parser) (T, error)) (out T, err error) {
	if strings.TrimSpace(source) == "" {
		return out, validationError("The expression can not be empty;")
	}
	tokens, err := tokenize(source)
	if err != nil {
		return out, err
	}
	p := &parser{source: source, tokens: tokens, placeholders: subs}
	if out, err = rule(p); err != nil {
		return out, err
	}
	if p.next < len(p.tokens) {
		return out, p.syntaxError()
	}
	return out, nil
}

func (p *parser) peek() string {
	if p.next == len(p.tokens) {
		return ""
	}
	return p.tokens[p.next].text
}

func (p *parser) syntaxError() error {
	if p.next == len(p.tokens) {
		return validationError("Syntax error; token: \"<EOF>\", near: %q", sourceExcerpt(p.source, len(p.source)))
	}
	t := p.tokens[p.next]
	return validationError("Syntax error; token: %q, near: %q", t.text, sourceExcerpt(p.source, t.pos))
}

// accept takes the next token if it is that symbol or, in any case, that keyword.
func (p *parser) accept(text string) bool {
	if !strings.EqualFold(p.peek(), text) {
		return false
	}
	p.next++
	return true
}

func (p *parser) expect(text string) error {
	if !p.accept(text) {
		return p.syntaxError()
	}
	return nil
}

// parseList reads items with commas between them.
func parseList[T any](p *parser, rule func() (T, error)) (items []T, err error) {
	for {
		item, err := rule()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if !p.accept(",") {
			return items, nil
		}
	}
}

// path reads the name of an attribute.
func (p *parser) path() (path, error) {
	text := p.peek()
	if text == "" || text[0] != '#' && (!isWord(text[0]) || text[0] >= '0' && text[0] <= '9') {
		return "", p.syntaxError()
	}
	p.next++
	if following := p.peek(); following == "." || following == "[" {
		return "", unsupported("document paths (" + text + following + ")")
	}
	name, err := p.placeholders.name(text)
	return path(name), err
}

// operand reads an attribute's name or a :value.
func (p *parser) operand() (operand, error) {
	text := p.peek()
	if !strings.HasPrefix(text, ":") {
		if p.isCall() {
			return nil, p.functionError(text)
		}
		return p.path()
	}
	p.next++
	value, err := p.placeholders.value(text)
	return literal(value), err
}

// isCall reports whether a function's call comes next.
func (p *parser) isCall() bool {
	return p.next+1 < len(p.tokens) && p.tokens[p.next+1].text == "(" && isWord(p.peek()[0])
}

// functionError is the fault of a function that cannot stand here.
func (p *parser) functionError(name string) error {
	switch name {
	case "size", "attribute_type", "list_append":
		return unsupported("the function " + name)
	case fnExists, fnMissing, fnBeginsWith, fnContains, fnIfNotExists:
		return validationError("The function is not allowed to be used this way in an expression; function: %s", name)
	}
	return validationError("Invalid function name; function: %s", name)
}

// operand is something that has a value in an item, or has none.
type operand interface {
	valueIn(item Item) (Value, bool)
}

// path is an attribute's name.
type path string

func (p path) valueIn(item Item) (Value, bool) {
	value, ok := item[string(p)]
	return value, ok
}

// literal is a value given with the request.
type literal Value

func (l literal) valueIn(Item) (Value, bool) { return Value(l), true }
