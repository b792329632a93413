// Package transform changes the texts of cells, before they are parsed as values, with steps that a
// person declares: "strip the currency, then replace , by .".
//
// Steps are data, so that a mapping can be stored, reviewed and reused. They run in order, each on
// the result of the previous one. A text that does not match a step (a pattern without a match, a
// word that is not in the list) is an error of the cell, unless the step has another fallback:
// nothing is guessed.
package transform

import "fmt"

// Limits of declarations.
const (
	MaxSteps      = 20     // per column
	MaxArgument   = 1_000  // characters per argument
	MaxMapEntries = 1_000  // entries per map
	maxText       = 32_767 // characters of a cell, before and after each step
	maxMemory     = 4 * maxText
	maxSplitPart  = 100
	maxProgram    = 2_000 // instructions of a compiled pattern
	// MaxInstructions is the maximum number of instructions of all patterns of a mapping, which every
	// request and chunk compiles: some milliseconds.
	MaxInstructions = 20_000
)

// Op is the kind of a step.
type Op string

// The kinds of steps.
const (
	Trim    Op = "trim"    // removes spaces at both ends, and repeated ones in between
	Upper   Op = "upper"   // upper case
	Lower   Op = "lower"   // lower case
	Title   Op = "title"   // Each Word With a Capital
	Strip   Op = "strip"   // removes What: "currency", "unit" or "apostrophe"
	Replace Op = "replace" // replaces Old by New, everywhere
	Extract Op = "extract" // the match of Pattern, an RE2 expression, or of its Group if set
	Split   Op = "split"   // the Part between Separators: 1 the first, -1 the last; with Rest also all that follow
	Date    Op = "date"    // converts a date in the format Pattern (DD.MM.YYYY) to 2026-01-31
	Map     Op = "map"     // replaces a text according to Values
	Default Op = "default" // replaces an empty text by Value
	Convert Op = "convert" // converts a number from Unit to the unit of its field, after it is read; the last step
)

// Fallback is the handling of a text that does not match a step.
type Fallback string

// The fallbacks.
const (
	FallbackError Fallback = ""      // the cell is an error
	FallbackKeep  Fallback = "keep"  // the text is unchanged
	FallbackEmpty Fallback = "empty" // the cell is empty
)

// Step is one declared change. Only the arguments of its kind are set.
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
	Unit      string            `json:"unit,omitempty"`
	Otherwise Fallback          `json:"otherwise,omitempty"`
}

// Chain is a list of steps, ready to run. It is safe for concurrent use.
type Chain struct{ steps []compiled }

// compiled is a step that is ready to run.
type compiled struct {
	op        Op
	otherwise Fallback
	work      int64 // of each byte of text
	// run returns the new text, or false if the text does not match the step. The result may share
	// memory with text, which it never changes.
	run func(text string) (string, bool)
}

// Error is the reason why a list of steps is invalid, or why a text could not be changed.
type Error struct {
	Step    int // starting at 1
	Op      Op
	Message string // a complete sentence
}

// Error returns the step and the reason.
func (e *Error) Error() string {
	if e.Step == 0 {
		return e.Message
	}
	return fmt.Sprintf("Step %d (%s): %s", e.Step, e.Op, e.Message)
}

// Compile prepares steps. The error is an *Error.
func Compile(steps []Step) (*Chain, error) {
	if len(steps) > MaxSteps {
		return nil, &Error{Message: fmt.Sprintf("A column can have at most %d steps.", MaxSteps)}
	}
	c := &Chain{steps: make([]compiled, 0, len(steps))}
	for i := range steps {
		s := &steps[i]
		if s.Op == Convert && i < len(steps)-1 {
			return nil, &Error{Step: i + 1, Op: s.Op, Message: "This must be the last step: it applies to the number, not to the text."}
		}
		run, err := s.compile()
		if err != nil {
			return nil, &Error{Step: i + 1, Op: s.Op, Message: err.Error() + "."}
		}
		c.steps = append(c.steps, compiled{op: s.Op, otherwise: s.Otherwise, work: s.work(), run: run})
	}
	return c, nil
}

// Instructions returns the number of instructions of the compiled patterns.
func (c *Chain) Instructions() (n int) {
	for i := range c.steps {
		if c.steps[i].op == Extract {
			n += int(c.steps[i].work)
		}
	}
	return n
}

// Apply runs the steps on a text within the budget. The error is an *Error, which contains no part
// of the text.
func (c *Chain) Apply(b *Budget, text string) (string, error) {
	for i := range c.steps {
		s := &c.steps[i]
		if text == "" && s.op != Default && s.op != Map {
			continue
		}
		if !b.spend(s.work * int64(len(text)+1)) {
			return "", &Error{Step: i + 1, Op: s.op, Message: "The row needs too much work. Simplify the patterns or shorten the text."}
		}
		changed, ok := s.run(text)
		switch {
		case ok && len(changed) > maxMemory:
			return "", &Error{Step: i + 1, Op: s.op, Message: "The result is too long for a cell."}
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

// misfitMessages explains, by operation, why a text does not match a step.
var misfitMessages = map[Op]string{
	Extract: "The pattern does not match.",
	Split:   "The text does not have this part.",
	Date:    "This is not a date with this pattern.",
	Map:     "The list does not contain this value.",
}
