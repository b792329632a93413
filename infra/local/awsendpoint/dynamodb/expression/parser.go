package expression

import (
	"errors"
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// parser parses one expression from its tokens.
type parser struct {
	source       string
	tokens       []token
	next         int
	placeholders *Placeholders
}

// maxLength is DynamoDB's limit of an expression, in bytes. It also limits nested parentheses.
const maxLength = 4096

// The functions that are implemented.
const (
	fnNotExists   = "attribute_not_exists"
	fnBeginsWith  = "begins_with"
	fnIfNotExists = "if_not_exists"
)

// parse applies a rule to a whole expression. what is the expression's name in the request, with
// which errors begin.
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
	if len(source) > maxLength {
		return out, validationError("Expression size has exceeded the maximum allowed size; expression size: %d", len(source))
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

// keyword returns the next token in upper case.
func (p *parser) keyword() string { return strings.ToUpper(p.peek()) }

func (p *parser) syntaxError() error {
	if p.next == len(p.tokens) {
		return validationError("Syntax error; token: \"<EOF>\", near: %q", sourceExcerpt(p.source, len(p.source)))
	}
	t := p.tokens[p.next]
	return validationError("Syntax error; token: %q, near: %q", t.text, sourceExcerpt(p.source, t.pos))
}

// accept consumes the next token if it is that symbol or, ignoring case, that keyword.
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

// parseList parses comma-separated items.
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

// path parses the name of an attribute.
func (p *parser) path() (string, error) {
	text := p.peek()
	switch {
	case p.isCall():
		return "", p.functionError()
	case strings.HasPrefix(text, ":"):
		return "", unsupported(fmt.Sprintf("the value %s in place of an attribute", text))
	case text == "" || text[0] != '#' && (!isWord(text[0]) || text[0] >= '0' && text[0] <= '9'):
		return "", p.syntaxError()
	}
	p.next++
	if following := p.peek(); following == "." || following == "[" {
		return "", unsupported("document paths (" + text + following + ")")
	}
	return p.placeholders.name(text)
}

// value parses a :value.
func (p *parser) value() (Value, error) {
	text := p.peek()
	switch {
	case p.isCall():
		return Value{}, p.functionError()
	case text != "" && (text[0] == '#' || isWord(text[0])):
		return Value{}, unsupported(fmt.Sprintf("the attribute %s in place of a :value", text))
	case !strings.HasPrefix(text, ":"):
		return Value{}, p.syntaxError()
	}
	p.next++
	return p.placeholders.value(text)
}

// isCall reports whether a function call comes next.
func (p *parser) isCall() bool {
	return p.next+1 < len(p.tokens) && p.tokens[p.next+1].text == "(" && isWord(p.peek()[0])
}

// acceptCall consumes the beginning of a call of that function if it comes next.
func (p *parser) acceptCall(function string) bool {
	if p.peek() != function || !p.isCall() {
		return false
	}
	p.next += 2
	return true
}

// functionError is the error for a function that is not allowed here.
func (p *parser) functionError() error {
	switch name := p.peek(); name {
	case "attribute_exists", "attribute_type", "contains", "size", "list_append":
		return unsupported("the function " + name)
	case fnNotExists, fnBeginsWith, fnIfNotExists:
		return unsupported("the function " + name + " here")
	default:
		return validationError("Invalid function name; function: %s", name)
	}
}
