// Package errorworkbook writes the rows of a file that could not be imported as a workbook:
// in the columns of the file, with each invalid cell marked, and preceded by the row's number
// and the reasons. Corrected and uploaded again, it imports only those rows: the matches of
// the file's columns are known by then, and the two added columns are ignored.
//
// Only failed rows are read again, chunk by chunk, using the memory of one chunk.
package errorworkbook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/rows/rowfetch"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Store finds the rows in error.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	NextFailedChunk(ctx context.Context, tx pgx.Tx, key job.Key, after int) (*job.Chunk, error)
	FailedRows(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64, limit int) ([]job.RowResult, error)
}

// Writer writes error workbooks.
type Writer struct {
	store  Store
	files  rowfetch.Files
	limits sheet.Limits
}

// New returns a writer.
func New(store Store, files rowfetch.Files, limits sheet.Limits) *Writer {
	return &Writer{store: store, files: files, limits: limits}
}

// Filename returns the name of a job's error workbook.
func Filename(j *job.Job) string { return string(j.ID) + "-errors.xlsx" }

// maxRows is the maximum number of rows of a sheet without its header.
//
// https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3
const maxRows = 1_048_576 - 1

var errSheetFull = errors.New("the sheet is full")

// Write writes the rows of a job that are in error, with messages in the language, as far as they are processed, and
// returns their number: at most as many as a sheet has. It writes none before the file has
// been analysed. UPLOAD_MISSING: the file is no longer stored.
func (w *Writer) Write(ctx context.Context, out io.Writer, l translation.Language, j *job.Job, decl *entity.Declaration) (n int64, err error) {
	source, err := rowfetch.Open(w.files, j, w.limits)
	if err != nil {
		return 0, fmt.Errorf("error workbook: %w", err)
	}
	defer source.Close()
	b, err := w.newWorkbook(ctx, l, j, decl, source.Dialect)
	if err != nil {
		return 0, fmt.Errorf("write error workbook of job %s: %w", j.ID, err)
	}
	defer func() { err = errors.Join(err, b.file.Close()) }()
	err = w.eachFailedChunk(ctx, j, func(c *job.Chunk, rowErrs map[int64][]rowwrite.Error) error {
		return source.EachRow(ctx, c, func(r *sheet.Row) error {
			if rowwrite.Outcome(c.Outcomes[r.Number-c.FirstRow]) != rowwrite.Errored {
				return nil
			}
			return b.addRow(r, rowErrs[r.Number])
		})
	})
	if err == nil || errors.Is(err, errSheetFull) {
		err = b.finish(out)
	}
	if err != nil {
		return 0, fmt.Errorf("write error workbook of job %s: %w", j.ID, err)
	}
	return b.rows, nil
}

// newWorkbook creates an empty workbook with the columns of the file.
func (w *Writer) newWorkbook(ctx context.Context, l translation.Language, j *job.Job, decl *entity.Declaration, dialect *sheet.Dialect) (*errorWorkbook, error) {
	var columns []job.MappedColumn
	err := w.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		columns, err = w.store.ColumnMappings(ctx, tx, j.Key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return newErrorWorkbook(l, decl, columns, dialect)
}

// eachFailedChunk calls do for each ledger entry with rows in error, passing their errors. No
// transaction is open meanwhile.
func (w *Writer) eachFailedChunk(ctx context.Context, j *job.Job, do func(*job.Chunk, map[int64][]rowwrite.Error) error) error {
	for after := -1; ; {
		var chunk *job.Chunk
		var failed []job.RowResult
		err := w.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
			chunk, err = w.store.NextFailedChunk(ctx, tx, j.Key, after)
			if err != nil || chunk == nil {
				return err
			}
			failed, err = w.store.FailedRows(ctx, tx, j.Key, chunk.FirstRow, chunk.FirstRow+int64(chunk.Lines)-1, math.MaxInt32)
			return err
		})
		if err != nil || chunk == nil {
			return err
		}
		rowErrs := make(map[int64][]rowwrite.Error, len(failed))
		for _, f := range failed {
			rowErrs[f.Row] = f.Errors
		}
		if err := do(chunk, rowErrs); err != nil {
			return err
		}
		after = chunk.Index
	}
}
