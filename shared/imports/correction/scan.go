package correction

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Maximum numbers of ledger entries that one call checks, and of entries that it reads rows of.
const (
	maxEntries = 100
	maxReads   = 8
)

// rowFilter selects rows of an import.
type rowFilter struct {
	outcome     rowwrite.Outcome // 0: any
	field, code string           // of a row error; "": any
	open        bool             // only rows that are not fixed yet
}

// entry is a ledger entry with the results of its rows.
type entry struct {
	chunk       *job.Chunk
	results     map[int64]job.RowResult // last result of each row that matches the filter's field and code
	attempts    []job.RowAttempt
	corrections []job.Correction
}

// matches reports whether the filter selects a row of the entry.
func (e *entry) matches(f *rowFilter, row int64) bool {
	outcome := rowwrite.Outcome(e.chunk.Outcomes[row-e.chunk.FirstRow])
	if outcome.String() == "" || f.outcome != 0 && f.outcome != outcome {
		return false
	}
	if f.field != "" || f.code != "" {
		if _, found := e.results[row]; !found {
			return false
		}
	}
	return !f.open || job.IsOpenError(outcome, e.attempts, row)
}

// rowsAfter returns the rows that the filter selects, in file order.
func (e *entry) rowsAfter(f *rowFilter, after int64) (wanted []int64) {
	for i := range e.chunk.Outcomes {
		if row := e.chunk.FirstRow + int64(i); row > after && e.matches(f, row) {
			wanted = append(wanted, row)
		}
	}
	return wanted
}

// nextEntry returns the first ledger entry with a row after the position; nil if there is none.
func (s *Service) nextEntry(ctx context.Context, j *job.Job, after int64, f *rowFilter) (e *entry, err error) {
	err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		e = nil
		c, err := s.store.NextChunk(ctx, tx, j.Key, after, f.outcome)
		if err != nil || c == nil {
			return err
		}
		e, err = s.loadEntry(ctx, tx, j, c, f)
		return err
	})
	return e, err
}

// loadEntry loads the results of a ledger entry's rows.
func (s *Service) loadEntry(ctx context.Context, tx pgx.Tx, j *job.Job, c *job.Chunk, f *rowFilter) (*entry, error) {
	e := &entry{chunk: c, results: make(map[int64]job.RowResult)}
	last := c.FirstRow + int64(c.Lines) - 1
	results, err := s.store.ResultsBetween(ctx, tx, j.Key, c.FirstRow, last, f.field, f.code)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		e.results[r.Row] = r
	}
	if e.attempts, err = s.store.RowAttempts(ctx, tx, j.ID, c.FirstRow, last); err != nil {
		return nil, err
	}
	if err := s.loadRetries(ctx, tx, e, f); err != nil {
		return nil, err
	}
	e.corrections, err = s.store.Corrections(ctx, tx, j.Key, c.FirstRow, last)
	return e, err
}

// loadRetries replaces the results of rows by those of their last retry.
func (s *Service) loadRetries(ctx context.Context, tx pgx.Tx, e *entry, f *rowFilter) error {
	if len(e.attempts) == 0 {
		return nil
	}
	retried := make(map[job.ID][]int64)
	for i := range e.chunk.Outcomes {
		row := e.chunk.FirstRow + int64(i)
		if last, _ := job.LatestAttempt(e.attempts, row); last != nil {
			delete(e.results, row)
			retried[last.JobID] = append(retried[last.JobID], row)
		}
	}
	for rerun, rows := range retried {
		results, err := s.store.RetryResults(ctx, tx, rerun, rows)
		if err != nil {
			return err
		}
		for _, r := range results {
			if f.matchesError(r.Errors) {
				e.results[r.Row] = r
			}
		}
	}
	return nil
}

// matchesError reports whether one of the errors has the filter's field and code.
func (f *rowFilter) matchesError(errors []rowwrite.Error) bool {
	return f.field == "" && f.code == "" || slices.ContainsFunc(errors, func(e rowwrite.Error) bool {
		return (f.field == "" || e.Field == f.field) && (f.code == "" || string(e.Code) == f.code)
	})
}

// scan calls read for the ledger entries with selected rows, from after the position until read
// returns that it has enough. It returns the last processed row, and whether there may be further
// rows.
func (s *Service) scan(ctx context.Context, j *job.Job, after int64, f *rowFilter, read func(e *entry, rows []int64) (last int64, enough bool, err error)) (int64, bool, error) {
	for looked, reads := 0, 0; looked < maxEntries && reads < maxReads; looked++ {
		e, err := s.nextEntry(ctx, j, after, f)
		if err != nil || e == nil {
			return after, false, err
		}
		wanted := e.rowsAfter(f, after)
		after = e.chunk.FirstRow + int64(e.chunk.Lines) - 1
		if len(wanted) == 0 {
			continue
		}
		reads++
		last, enough, err := read(e, wanted)
		if err != nil {
			return after, false, err
		}
		if enough {
			return last, true, nil
		}
	}
	return after, true, nil
}
