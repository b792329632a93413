package declared

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/loadbay/loadbay/shared/problem"
)

// TextFault is a mistake in a text of a declaration, such as an expression.
type TextFault struct {
	Path         string // of the text: "rules[0].check"
	Line, Column int    // in the text, from 1
	Message      string
}

// textError is an error that Locate can find in the source.
type textError struct {
	error
	faults []TextFault
}

// Unwrap returns the error as the API reports it.
func (e *textError) Unwrap() error { return e.error }

// InTexts returns the error of a declaration with mistakes in its texts.
func InTexts(name string, faults []TextFault) error {
	e := problem.New(problem.DeclarationInvalid, "The declaration of %s has %s. Correct it and try again.", name, count(len(faults), "error"))
	for _, f := range faults {
		e = e.With(f.Path, problem.DeclarationInvalid, f.Message)
	}
	return &textError{e, faults}
}

// placeInText returns where a mistake is in the source: the beginning of its text if that is written
// with escapes or folded.
func placeInText(source []byte, n *yaml.Node, f TextFault) place {
	if n == nil {
		return place{1, 1}
	}
	lines := bytes.Split(source, []byte("\n"))
	if n.Style&yaml.LiteralStyle != 0 && n.Line+f.Line <= len(lines) {
		first := string(lines[n.Line])
		return place{n.Line + f.Line, len(first) - len(strings.TrimLeft(first, " ")) + f.Column}
	}
	if f.Line > 1 || n.Line > len(lines) {
		return place{n.Line, n.Column}
	}
	rest, quotes := string(lines[n.Line-1]), 0
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 && rest != "" {
		quotes, rest = 1, rest[1:]
	}
	if !strings.HasPrefix(rest, n.Value) {
		return place{n.Line, n.Column}
	}
	return place{n.Line, n.Column + quotes + f.Column - 1}
}
