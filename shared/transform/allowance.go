package transform

import "github.com/loadbay/loadbay/shared/problem"

// Allowance is work that several budgets share.
type Allowance struct {
	left, later int64
	ask         func() error
}

// NewAllowance returns an allowance of that work.
func NewAllowance(work int64) *Allowance { return &Allowance{left: work} }

// NewRequestAllowance returns the allowance of an API request: OrdinaryWork and, once ask has
// returned nil, that work in all. An error of ask is the error of the budgets.
func NewRequestAllowance(work int64, ask func() error) *Allowance {
	return &Allowance{left: OrdinaryWork, later: work - OrdinaryWork, ask: ask}
}

// take takes work, or returns why there is none.
func (a *Allowance) take(work int64) error {
	if a == nil {
		return nil
	}
	if work > a.left && a.later > 0 {
		if err := a.ask(); err != nil {
			return err
		}
		a.left, a.later = a.left+a.later, 0
	}
	if work > a.left {
		return problem.New(problem.ParameterInvalid, "The steps need too much work for one request. Simplify their patterns, or process fewer rows.")
	}
	a.left -= work
	return nil
}
