package export

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/annotate"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Imports reads the row errors of imports.
type Imports interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	NextFailedChunk(ctx context.Context, tx pgx.Tx, key job.Key, after int) (*job.Chunk, error)
	FailedRows(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64, limit int) ([]job.RowResult, error)
	RowAttempts(ctx context.Context, tx pgx.Tx, of job.ID, first, last int64) ([]job.RowAttempt, error)
	RetryResults(ctx context.Context, tx pgx.Tx, rerun job.ID, rows []int64) ([]job.RowResult, error)
}

// annotate writes the file of an import with the invalid cells of open rows marked.
func (s *Step) annotate(ctx context.Context, e *job.Export, dst io.Writer) (marked int64, err error) {
	a := &annotation{Step: s, columns: make(map[string]int)}
	err = s.store.InOrganisation(ctx, e.OrganisationID, func(tx pgx.Tx) (err error) {
		if a.job, err = s.store.Job(ctx, tx, e.Annotates); err != nil {
			return err
		}
		columns, err := s.store.ColumnMappings(ctx, tx, a.job.Key)
		a.locateFields(columns)
		return err
	})
	if err != nil {
		return 0, err
	}
	var dialect sheet.Dialect
	if err := json.Unmarshal(a.job.Dialect, &dialect); err != nil {
		return 0, fmt.Errorf("decode reading options of job %s: %w", a.job.ID, err)
	}
	err = annotate.Workbook(dst, s.objects.Open(ctx, a.job.ObjectVersion()), dialect.SheetName, func(do func(annotate.Mark) error) error {
		marked = 0 // called once for each part
		return a.eachMark(ctx, func(m annotate.Mark) error {
			marked++
			return do(m)
		})
	})
	if problem.CodeOf(err) == problem.UploadMissing {
		err = problem.Wrap(err, problem.SourceGone, "The file of the import was deleted.")
	}
	return marked, err
}

// annotation is the state of marking one file.
type annotation struct {
	*Step
	job         *job.Job
	columns     map[string]int // column index in the file by field
	firstColumn int            // for errors of a row as a whole
}

// locateFields records the columns of the fields in the file.
func (a *annotation) locateFields(columns []job.MappedColumn) {
	a.firstColumn = math.MaxInt
	for _, c := range columns {
		if c.TargetField != "" && c.ColumnIndex >= 0 {
			a.columns[c.TargetField] = c.ColumnIndex
			a.firstColumn = min(a.firstColumn, c.ColumnIndex)
		}
	}
	if len(a.columns) == 0 {
		a.firstColumn = 0
	}
}

// eachMark calls do for the marks in file order. No transaction is open during the calls.
func (a *annotation) eachMark(ctx context.Context, do func(annotate.Mark) error) error {
	for after := -1; ; {
		var chunk *job.Chunk
		var wrong []job.RowResult
		err := a.store.InOrganisation(ctx, a.job.OrganisationID, func(tx pgx.Tx) (err error) {
			chunk, err = a.store.NextFailedChunk(ctx, tx, a.job.Key, after)
			if err == nil && chunk != nil {
				wrong, err = a.failedRows(ctx, tx, chunk)
			}
			return err
		})
		if err != nil || chunk == nil {
			return err
		}
		after = chunk.Index
		for _, r := range wrong {
			for _, m := range a.marks(r) {
				if err := do(m); err != nil {
					return err
				}
			}
		}
	}
}

// failedRows returns the open rows of a chunk, with the errors of their last attempts.
func (a *annotation) failedRows(ctx context.Context, tx pgx.Tx, c *job.Chunk) ([]job.RowResult, error) {
	last := c.FirstRow + int64(c.Lines) - 1
	failed, err := a.store.FailedRows(ctx, tx, a.job.Key, c.FirstRow, last, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	attempts, err := a.store.RowAttempts(ctx, tx, a.job.ID, c.FirstRow, last)
	if err != nil {
		return nil, err
	}
	again := make(map[job.ID][]int64)
	open := failed[:0]
	for _, r := range failed {
		if !job.IsOpenError(r.Outcome, attempts, r.Row) {
			continue
		}
		if latest, _ := job.LatestAttempt(attempts, r.Row); latest != nil {
			again[latest.JobID] = append(again[latest.JobID], r.Row)
		}
		open = append(open, r)
	}
	for rerun, rows := range again {
		results, err := a.store.RetryResults(ctx, tx, rerun, rows)
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			if at, found := slices.BinarySearchFunc(open, r.Row, func(o job.RowResult, row int64) int { return cmp.Compare(o.Row, row) }); found {
				open[at].Errors = r.Errors
			}
		}
	}
	return open, nil
}

// marks returns the marks of a row, one for each cell.
func (a *annotation) marks(r job.RowResult) (marks []annotate.Mark) {
	for _, e := range r.Errors {
		column, ok := a.columns[e.Field]
		if !ok {
			column = a.firstColumn
		}
		at, found := slices.BinarySearchFunc(marks, column, func(m annotate.Mark, column int) int { return cmp.Compare(m.Column, column) })
		if found {
			marks[at].Text += "\n" + e.Message
			continue
		}
		marks = slices.Insert(marks, at, annotate.Mark{Row: r.Row, Column: column, Text: e.Message})
	}
	return marks
}
