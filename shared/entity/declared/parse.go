package declared

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/loadbay/loadbay/shared/problem"
)

// Limits of declarations.
const (
	MaxBytes  = 256 << 10 // of a declaration's source
	MaxFields = 500       // of a type
	MaxTypes  = 200       // of an organisation
)

// maxErrors is the maximum number of listed errors; the rest are found after fixing those.
const maxErrors = 50

// Parse parses a declaration in YAML or JSON and checks all that can be checked without its table.
// Its error is a *problem.Error that lists each error with its path, line and column:
// DECLARATION_INVALID, DECLARATION_TOO_LARGE or TOO_MANY_FIELDS.
func Parse(source []byte) (*Declaration, error) {
	if len(source) > MaxBytes {
		return nil, problem.New(problem.DeclarationTooLarge, "A declaration can have at most %d bytes.", MaxBytes)
	}
	d := &decoder{checker: checker{places: make(map[string]place), invalid: make(map[string]bool)}, texts: make(map[string]*yaml.Node)}
	root, err := readSource(source)
	if err != nil {
		syntax := err.(*sourceError) //nolint:errorlint // readSource returns no others
		d.addAt(place{syntax.line, syntax.column}, "", syntax.message)
		return nil, d.err()
	}
	declaration := &Declaration{}
	d.decode("", root, reflect.ValueOf(declaration).Elem())
	if len(declaration.Fields) > MaxFields {
		return nil, problem.New(problem.TooManyFields, "A type can have at most %d fields; this one has %d.", MaxFields, len(declaration.Fields))
	}
	d.declaration(declaration)
	if err := d.err(); err != nil {
		return nil, err
	}
	return declaration, nil
}

// Locate adds the lines and columns of a source to the fields of an error about its declaration.
func Locate(source []byte, err error) error {
	root, unreadable := readSource(source)
	var of *problem.Error
	if unreadable != nil || !errors.As(err, &of) {
		return err
	}
	d := &decoder{checker: checker{places: make(map[string]place), invalid: make(map[string]bool)}, texts: make(map[string]*yaml.Node)}
	d.decode("", root, reflect.ValueOf(&Declaration{}).Elem())
	d.found = nil
	var within *textError
	if errors.As(err, &within) {
		for _, f := range within.faults {
			d.addAt(placeInText(source, d.texts[f.Path], f), f.Path, f.Message)
		}
	} else {
		for _, f := range of.Fields {
			d.add(f.Field, f.Message)
		}
	}
	located := *of
	located.Fields = nil
	for _, f := range d.found {
		located.Fields = append(located.Fields, f.Field)
	}
	return &located
}

// place is a position in a source, counted from 1.
type place struct{ line, column int }

// checker collects the errors of a declaration.
type checker struct {
	places  map[string]place // of the parts of the source, by path
	invalid map[string]bool  // parts that could not be decoded; errors of what they lack would repeat it
	found   []found
}

// found is an error at a place.
type found struct {
	at place
	problem.Field
}

// add adds an error of the part with the path. If the source does not have the part, the error is
// that of the part around it.
func (c *checker) add(path, message string) {
	for around := path; ; around = parent(around) {
		if c.invalid[around] {
			return
		}
		if at, known := c.places[around]; known || around == "" {
			c.addAt(at, path, message)
			return
		}
	}
}

// refuse adds an error of a part that cannot be decoded.
func (c *checker) refuse(path, message string) {
	c.add(path, message)
	c.invalid[path] = true
}

func (c *checker) addAt(at place, path, message string) {
	c.found = append(c.found, found{at, problem.Field{
		Field: shorten(path), Code: problem.DeclarationInvalid, Message: fmt.Sprintf("Line %d, column %d: %s", at.line, at.column, message),
	}})
}

// err returns the errors as one, in the order of the source, or nil.
func (c *checker) err() error {
	if len(c.found) == 0 {
		return nil
	}
	slices.SortStableFunc(c.found, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.column, b.at.column), cmp.Compare(a.Field.Field, b.Field.Field))
	})
	e := problem.New(problem.DeclarationInvalid, "The declaration has %s. Correct it and try again.", count(len(c.found), "error"))
	for _, f := range c.found[:min(len(c.found), maxErrors)] {
		e.Fields = append(e.Fields, f.Field)
	}
	return e
}

// parent returns the path of the part around a part.
func parent(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// maxShown is the maximum number of characters of a text from the source in a message.
const maxShown = 100

func shorten(text string) string {
	if r := []rune(text); len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return text
}
