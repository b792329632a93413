package entity

import "github.com/loadbay/loadbay/shared/problem"

// Rule is a rule over several fields of a row.
type Rule struct {
	Kind    RuleKind
	Fields  []string // that it is about, by their names
	Field   string   // which the row error names
	Message string
}

// RuleKind is what a rule asks for.
type RuleKind uint8

// The kinds of rules.
const (
	AnyOf   RuleKind = iota // one of the fields is given: CELL_REQUIRED
	InOrder                 // of two days that are given, the second is not before the first: CELL_RANGE
)

// Check returns the error of row i of a batch that breaks the rule, or nil. at are the
// places of the rule's fields.
func (r *Rule) Check(b *Batch, i int, at []int) *RowError {
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
	return &RowError{Field: r.Field, Code: code, Message: r.Message}
}

// anyHasValue reports whether row i has a value for one of the fields.
func anyHasValue(b *Batch, i int, at []int) bool {
	for _, field := range at {
		if _, ok := b.Columns[field].Bytes(i); ok {
			return true
		}
	}
	return false
}
