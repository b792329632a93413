package transform

import (
	"context"
)

// Work is counted in instructions × bytes of text, so that a text has the same result on every
// machine and in every attempt. A unit takes at most some 10 ns.
const (
	rowWork     = 10_000     // of any row
	rowByteWork = 100        // of each byte of a row
	maxRowWork  = 20_000_000 // of the largest rows
	stepWork    = 4          // of each byte, for a step without a pattern
	// OrdinaryWork is the work of an ordinary API request: some hundredths of a second.
	OrdinaryWork = 2_000_000
	// PreviewWork is the work of a preview of some rows.
	PreviewWork = 20_000_000
	// RequestWork is the work of any other API request: about a second.
	RequestWork = 100_000_000
	// SurveyWork is the work of surveying a file.
	SurveyWork = 500_000_000
)

// Budget bounds the work of steps: of a row by its size, and optionally of all rows. Without a
// limit, the outcome of a row depends on nothing but the row. It is not safe for concurrent use.
type Budget struct {
	row, spent int64
	shared     *Allowance
	err        error
	ctx        context.Context // the budget lives as long as one request or chunk
}

// NewBudget returns a budget for rows of a file, without a limit for all of them.
func NewBudget() *Budget { return &Budget{row: rowWork, ctx: context.Background()} }

// Limit ends all steps together with the context, and once they have spent the allowance; nil is no
// limit.
func (b *Budget) Limit(ctx context.Context, shared *Allowance) { b.ctx, b.shared = ctx, shared }

// StartRow begins a row with this number of bytes.
func (b *Budget) StartRow(size int) {
	b.row = min(rowWork+rowByteWork*int64(min(size, maxRowWork)), maxRowWork)
}

// Spent returns the work of all rows so far.
func (b *Budget) Spent() int64 { return b.spent }

// Err returns why no further row can be processed: the error of the context, or a problem once the
// limit is spent.
func (b *Budget) Err() error {
	if b.err == nil {
		b.err = b.ctx.Err()
	}
	return b.err
}

// spend reports whether the budget has room for a step, and takes its work.
func (b *Budget) spend(work int64) bool {
	if b.Err() != nil || work > b.row {
		return false
	}
	if b.err = b.shared.take(work); b.err != nil {
		return false
	}
	b.row, b.spent = b.row-work, b.spent+work
	return true
}
