// Package errorworkbook writes the rows of a file that could not be imported as a
// workbook: in the columns of the file, each wrong cell marked, with the row's
// number and the reasons before them. Corrected and uploaded again, it imports
// just those rows: what the file's columns were taken for is known by then, and
// the two columns before them are no data.
//
// Only what failed is read again, chunk by chunk, in memory of one chunk.
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
	"github.com/loadbay/loadbay/shared/job/tenant"
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

// Filename is what the error workbook of a job is called.
func Filename(j *job.Job) string { return string(j.ID) + "-errors.xlsx" }

// maxRows is how many rows a sheet has besides its header.
//
// https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3
const maxRows = 1_048_576 - 1

var errSheetFull = errors.New("the sheet is full")

// Write writes the rows of a job that are in error, as far as they are decided,
// and returns how many: at most as many as a sheet has. A job whose file has not
// been looked at yet has none. UPLOAD_MISSING: the file is not kept any more.
func (w *Writer) Write(ctx context.Context, out io.Writer, j *job.Job, decl *entity.Declaration) (n int64, err error) {
	source, err := rowfetch.Open(w.files, j, w.limits)
	if err != nil {
		return 0, fmt.Errorf("error workbook: %w", err)
	}
	defer source.Close()
	b, err := w.newWorkbook(ctx, j, decl, source.Dialect)
	if err != nil {
		return 0, fmt.Errorf("error workbook of job %s: %w", j.ID, err)
	}
	defer func() { err = errors.Join(err, b.file.Close()) }()
	err = w.eachFailedChunk(ctx, j, func(c *job.Chunk, rowErrs map[int64][]job.RowError) error {
		return source.EachRow(ctx, c, func(r *sheet.Row) error {
			if job.Outcome(c.Outcomes[r.Number-c.FirstRow]) != job.Errored {
				return nil
			}
			return b.addRow(r, rowErrs[r.Number])
		})
	})
	if err == nil || errors.Is(err, errSheetFull) {
		err = b.finish(out)
	}
	if err != nil {
		return 0, fmt.Errorf("error workbook of job %s: %w", j.ID, err)
	}
	return b.rows, nil
}

// newWorkbook makes an empty book with the columns of the file.
func (w *Writer) newWorkbook(ctx context.Context, j *job.Job, decl *entity.Declaration, dialect *sheet.Dialect) (*errorWorkbook, error) {
	var columns []job.MappedColumn
	err := w.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		columns, err = w.store.ColumnMappings(ctx, tx, j.Key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return newErrorWorkbook(decl, columns, dialect)
}

// eachFailedChunk calls do for each ledger entry that holds rows in error, with what
// is wrong with them. No transaction is open meanwhile.
func (w *Writer) eachFailedChunk(ctx context.Context, j *job.Job, do func(*job.Chunk, map[int64][]job.RowError) error) error {
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
		rowErrs := make(map[int64][]job.RowError, len(failed))
		for _, f := range failed {
			rowErrs[f.Row] = f.Errors
		}
		if err := do(chunk, rowErrs); err != nil {
			return err
		}
		after = chunk.Index
	}
}
