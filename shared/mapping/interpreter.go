package mapping

import (
	"maps"
	"slices"
)

// Interpreter reads the meanings of single headers, for programs that choose the concepts of fields.
type Interpreter struct{ parser *parser }

// NewInterpreter returns an interpreter for rows about the subjects.
func NewInterpreter(concepts Concepts, subjects []string) *Interpreter {
	return &Interpreter{newParser(concepts, subjects)}
}

// Meanings returns what a header means; nil if it is not understood completely.
func (i *Interpreter) Meanings(header string) (found []Meaning) {
	for _, form := range parseHeaders(header) {
		for _, m := range i.parser.parse(&form) {
			if !slices.Contains(found, m) {
				found = append(found, m)
			}
		}
	}
	return found
}

// Subjects returns the roles that mean the subject of the row itself: "customer" for rows about
// customers.
func (i *Interpreter) Subjects() []string { return slices.Sorted(maps.Keys(i.parser.self)) }
