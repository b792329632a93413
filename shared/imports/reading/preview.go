package reading

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/rowview"
)

// Limits of a preview.
const (
	maxBytes     = 1 << 20  // total text bytes of the rows shown; the first row is always shown
	lookAhead    = 20_000   // rows read beyond the window to find the last rows
	maxReadBytes = 64 << 20 // total text bytes of all rows read
	// MaxOffset is the maximum number of rows that can be skipped.
	MaxOffset = 10_000
)

// Window selects the sheet and the rows to show.
type Window struct {
	Sheet  *int // index of the sheet; nil: the sheet being imported
	Offset int  // rows with values to skip, from the start of the file
	Limit  int
}

// Preview is an excerpt of a file as it is currently read.
type Preview struct {
	Job     *job.Job
	Dialect *sheet.Dialect
	// Evidence is the basis on which the encoding was detected; "" for workbooks.
	Evidence rowview.EncodingEvidence
	Columns  []job.MappedColumn // empty for a sheet other than the one being imported
	Sheets   []sheet.Summary
	Rows     []rowview.DisplayRow
	More     bool                 // further rows follow Rows
	LastRows []rowview.DisplayRow // last rows of the file, in file order; nil if unknown
}

// Preview returns numbered rows of the job's file as they are currently read, including the
// rows above the header. It returns STATE_CONFLICT before the first analysis of the file,
// and GONE if the file is no longer stored.
func (s *Service) Preview(ctx context.Context, ref job.Ref, w Window) (*Preview, error) {
	p, last, err := s.loadPreview(ctx, ref)
	if err != nil {
		return nil, err
	}
	file := s.files.Open(ctx, p.Job.ObjectVersion())
	if p.Sheets, err = reader.SheetSummaries(ctx, file, p.Dialect.Format, s.limits); err != nil {
		return nil, asGone(err)
	}
	if w.Sheet != nil && (*w.Sheet != p.Dialect.SheetIndex || p.Sheets == nil) {
		if err := s.switchSheet(ctx, p, file, *w.Sheet); err != nil {
			return nil, asGone(err)
		}
		last = nil
	}
	p.LastRows = last
	return p, asGone(s.readWindow(ctx, p, file, w))
}

// loadPreview loads the job's file details from the database.
func (s *Service) loadPreview(ctx context.Context, ref job.Ref) (*Preview, []rowview.DisplayRow, error) {
	p, kept := &Preview{}, json.RawMessage(nil)
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if p.Job, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		if p.Columns, err = s.store.ColumnMappings(ctx, tx, p.Job.Key); err != nil {
			return err
		}
		kept, err = s.store.LastRows(ctx, tx, p.Job.Key)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if p.Job.Dialect == nil {
		return nil, nil, problem.New(problem.StateConflict, "The file of this import has not been read yet.")
	}
	p.Dialect = &sheet.Dialect{}
	if err := json.Unmarshal(p.Job.Dialect, p.Dialect); err != nil {
		return nil, nil, fmt.Errorf("decode reading options of job %s: %w", p.Job.ID, err)
	}
	var last []rowview.DisplayRow
	if kept != nil {
		if err := json.Unmarshal(kept, &last); err != nil {
			return nil, nil, fmt.Errorf("decode last rows of job %s: %w", p.Job.ID, err)
		}
	}
	options, err := fileOptions(p.Job.Options)
	p.Evidence = rowview.NewEncodingEvidence(p.Dialect, options)
	return p, last, err
}

// switchSheet switches the preview to a sheet other than the one being imported.
func (s *Service) switchSheet(ctx context.Context, p *Preview, file sheet.Source, index int) error {
	if p.Sheets == nil {
		return problem.New(problem.ParameterInvalid, "This file format has no sheets.").With("sheet", problem.ParameterInvalid, "Omit this parameter.")
	}
	if index < 0 || index >= len(p.Sheets) || !p.Sheets[index].HasCells {
		return problem.New(problem.SheetNotFound, "The workbook has no worksheet with this index.").With("sheet", problem.SheetNotFound, "The index of a worksheet, starting at 0.")
	}
	p.Columns = nil
	dialect, err := reader.Detect(ctx, file, sheet.Options{SheetIndex: &index}, s.limits)
	if problem.CodeOf(err) == problem.NoDataSheet {
		dialect, err = &sheet.Dialect{Format: p.Dialect.Format, SheetIndex: index, SheetName: p.Sheets[index].Name}, nil
	}
	p.Dialect = dialect
	return err
}

// readWindow reads the rows of the window, and continues to the end of the file if it is near.
func (s *Service) readWindow(ctx context.Context, p *Preview, file sheet.Source, w Window) (err error) {
	rows, err := reader.Open(ctx, file, reader.RawDialect(p.Dialect), s.limits)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var last Tail
	v := windowFiller{preview: p, window: w}
	for rows.Next() {
		if v.n >= w.Offset+w.Limit+lookAhead || v.readBytes > maxReadBytes {
			p.More = true
			return nil
		}
		last.Add(rows.Row())
		v.add(rows.Row())
	}
	if rows.Err() == nil {
		p.LastRows = last.Rows(p.Dialect)
	}
	return rows.Err()
}

// windowFiller collects the rows of a window.
type windowFiller struct {
	preview   *Preview
	window    Window
	n         int // rows so far
	size      int // bytes of the rows shown
	readBytes int // bytes of all rows read
}

func (v *windowFiller) add(r *sheet.Row) {
	for i := range r.Cells {
		v.readBytes += len(r.Cells[i].Bytes)
	}
	if v.n++; v.n <= v.window.Offset || v.preview.More {
		return
	}
	row := rowview.NewDisplayRow(r, v.preview.Dialect)
	if v.size += row.Size(); len(v.preview.Rows) == v.window.Limit || v.size > maxBytes && len(v.preview.Rows) > 0 {
		v.preview.More = true
		return
	}
	v.preview.Rows = append(v.preview.Rows, row)
}
