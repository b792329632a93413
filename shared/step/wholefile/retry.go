package wholefile

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Retries stores the rows of retries, and their corrections.
type Retries interface {
	NextChunk(ctx context.Context, tx pgx.Tx, key job.Key, after int64, outcome rowwrite.Outcome) (*job.Chunk, error)
	Corrections(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64) ([]job.Correction, error)
}

// retryRows are the rows of a retry: those in its ledger that are not Blank. nil means any other
// job, which includes all rows of its file.
type retryRows struct {
	entries   []*job.Chunk // as read at the start, in file order
	corrected []job.Correction
}

// loadRetry loads the rows of a retry.
func (s *Step) loadRetry(ctx context.Context, tx pgx.Tx, j *job.Job) (*retryRows, error) {
	if !j.RowRetry {
		return nil, nil
	}
	a := &retryRows{}
	for after := int64(0); ; {
		c, err := s.store.NextChunk(ctx, tx, j.Key, after, 0)
		if err != nil {
			return nil, err
		}
		if c == nil {
			break
		}
		a.entries, after = append(a.entries, c), c.FirstRow+int64(c.Lines)-1
	}
	var err error
	a.corrected, err = s.store.Corrections(ctx, tx, j.Key, 0, math.MaxInt64)
	return a, err
}

func (a *retryRows) corrections() []job.Correction {
	if a == nil {
		return nil
	}
	return a.corrected
}

// includes reports whether a row is retried. It must be called in file order.
func (a *retryRows) includes(row int64) bool {
	if a == nil {
		return true
	}
	for _, c := range a.entries {
		if at := row - c.FirstRow; at >= 0 && at < int64(len(c.Outcomes)) {
			return rowwrite.Outcome(c.Outcomes[at]) != rowwrite.Blank
		}
	}
	return false
}

// limitTotals excludes lines that are not retried from the totals.
func (a *retryRows) limitTotals(f *fileContents) {
	if a == nil {
		return
	}
	retried := int64(0)
	for i, o := range f.outcomes {
		switch rowwrite.Outcome(o) {
		case rowwrite.Header:
			f.outcomes[i] = byte(rowwrite.Blank)
		case rowwrite.Blank:
		default:
			retried++
		}
	}
	f.totals = job.SplitTotals{Lines: retried, Rows: retried, SHA256: f.totals.SHA256}
}

// updateLedger writes the results of the first pass to the entries that were created with the
// retry.
func (s *Step) updateLedger(ctx context.Context, tx pgx.Tx, f *fileContents) error {
	for _, c := range f.retry.entries {
		done := *c
		done.Done, done.Outcomes = true, f.outcomes[c.FirstRow-1:c.FirstRow-1+int64(c.Lines)]
		if err := s.store.SaveOutcomes(ctx, tx, &done); err != nil {
			return err
		}
	}
	return nil
}
