// Package transform changes the texts of cells, before they are read as values, by
// steps that a person declares: "strip the currency, then replace , by .".
//
// Steps are data, so that a mapping can be written down, reviewed and used again.
// They run in order, each on what the one before it left. A step that a text does
// not fit (a pattern without a match, a word that is not in the list) fails the cell
// unless it says otherwise: nothing is guessed.
package transform

import "fmt"

// Bounds of what may be declared.
const (
	MaxSteps      = 20     // of a column
	MaxArgument   = 1_000  // characters of an argument
	MaxMapEntries = 1_000  // entries of a map
	maxText       = 32_767 // characters of a cell, after each step as before
	maxMemory     = 4 * maxText
	maxSplitPart  = 100
	maxProgram    = 2_000 // instructions of a compiled pattern
)

// Op is the kind of a step.
type Op string

// The kinds of steps.
const (
	Trim    Op = "trim"    // spaces at both ends go, those within become one
	Upper   Op = "upper"   // upper case
	Lower   Op = "lower"   // lower case
	Title   Op = "title"   // Each Word With a Capital
	Strip   Op = "strip"   // What: "currency", "unit" or "apostrophe" goes
	Replace Op = "replace" // Old becomes New, everywhere
	Extract Op = "extract" // what Pattern, an RE2 expression, finds; its Group where that is given
	Split   Op = "split"   // the Part between Separators: 1 the first, -1 the last; Rest: and all that follow
	Date    Op = "date"    // a date written as Pattern says (DD.MM.YYYY) becomes 2026-01-31
	Map     Op = "map"     // a text becomes another one: Values
	Default Op = "default" // an empty text becomes Value
)

// Fallback says what becomes of a text that a step does not fit.
type Fallback string

// What may become of it.
const (
	FallbackError Fallback = ""      // the cell is in error
	FallbackKeep  Fallback = "keep"  // it stays as it is
	FallbackEmpty Fallback = "empty" // the cell is empty
)

// Step is one declared change. Only the arguments of its kind are given.
type Step struct {
	Op        Op                `json:"op"`
	What      string            `json:"what,omitempty"`
	Old       string            `json:"old,omitempty"`
	New       string            `json:"new,omitempty"`
	Pattern   string            `json:"pattern,omitempty"`
	Group     int               `json:"group,omitempty"`
	Separator string            `json:"separator,omitempty"`
	Part      int               `json:"part,omitempty"`
	Rest      bool              `json:"rest,omitempty"`
	Values    map[string]string `json:"values,omitempty"`
	Value     string            `json:"value,omitempty"`
	Otherwise Fallback          `json:"otherwise,omitempty"`
}

// Chain is a list of steps, ready to run. It is safe for concurrent use.
type Chain struct{ steps []compiled }

// compiled is a step, ready to run.
type compiled struct {
	op        Op
	otherwise Fallback
	// run returns the new text, or false where the step does not fit. The result may
	// share memory with text, which it never changes.
	run func(text string) (string, bool)
}

// Error is why a list of steps is none, or why a text could not be changed.
type Error struct {
	Step    int // from 1
	Op      Op
	Message string // a sentence
}

// Error says which step, and why.
func (e *Error) Error() string {
	if e.Step == 0 {
		return e.Message
	}
	return fmt.Sprintf("Step %d (%s): %s", e.Step, e.Op, e.Message)
}

// Compile prepares steps. The error is an *Error.
func Compile(steps []Step) (*Chain, error) {
	if len(steps) > MaxSteps {
		return nil, &Error{Message: fmt.Sprintf("A column takes %d steps at most.", MaxSteps)}
	}
	c := &Chain{steps: make([]compiled, 0, len(steps))}
	for i := range steps {
		s := &steps[i]
		run, err := s.compile()
		if err != nil {
			return nil, &Error{Step: i + 1, Op: s.Op, Message: err.Error() + "."}
		}
		c.steps = append(c.steps, compiled{op: s.Op, otherwise: s.Otherwise, run: run})
	}
	return c, nil
}

// Apply runs the steps on a text. The error is an *Error, which repeats nothing of
// the text.
func (c *Chain) Apply(text string) (string, error) {
	for i := range c.steps {
		s := &c.steps[i]
		if text == "" && s.op != Default && s.op != Map {
			continue
		}
		changed, ok := s.run(text)
		switch {
		case ok && len(changed) > maxMemory:
			return "", &Error{Step: i + 1, Op: s.op, Message: "The text becomes longer than a cell can be."}
		case ok:
			text = changed
		case s.otherwise == FallbackEmpty:
			text = ""
		case s.otherwise == FallbackError:
			return "", &Error{Step: i + 1, Op: s.op, Message: misfitMessages[s.op]}
		}
	}
	return text, nil
}

// misfitMessages says what is wrong with a text that a step does not fit.
var misfitMessages = map[Op]string{
	Extract: "The pattern does not match.",
	Split:   "There is no such part.",
	Date:    "This is not a date of that pattern.",
	Map:     "The list has no such value.",
}
