package entity

import (
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// Rule is a rule over several fields of a row.
type Rule struct {
	Kind    RuleKind
	Fields  []string // Field.Name of the fields concerned
	Field   string   // Field.Name in the row error
	Message string
}

// RuleKind is the condition that a rule checks.
type RuleKind uint8

// The kinds of rules.
const (
	AnyOf   RuleKind = iota // at least one of the fields has a value: CELL_REQUIRED
	InOrder                 // if both dates are present, the second is not before the first: CELL_RANGE
)

// Check returns the error of row i of a batch if it violates the rule, else nil. at holds the
// indexes of the rule's fields.
func (r *Rule) Check(b *Batch, i int, at []int) *rowwrite.Error {
	var code problem.Code
	var kept bool
	switch r.Kind {
	case InOrder:
		first, hasFirst := b.Columns[at[0]].Date(i)
		second, hasSecond := b.Columns[at[1]].Date(i)
		code, kept = problem.CellRange, !hasFirst || !hasSecond || second >= first
	case AnyOf:
		code, kept = problem.CellRequired, anyHasValue(b, i, at)
	}
	if kept {
		return nil
	}
	return &rowwrite.Error{Field: r.Field, Code: code, Message: r.Message}
}

// anyHasValue reports whether row i has a value in one of the fields.
func anyHasValue(b *Batch, i int, at []int) bool {
	for _, field := range at {
		if _, ok := b.Columns[field].Bytes(i); ok {
			return true
		}
	}
	return false
}
