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

// What a preview shows, and looks at, at most.
const (
	maxBytes     = 1 << 20  // of the texts of its rows together; a first row is shown whatever it has
	lookAhead    = 20_000   // rows that are read on for the last ones
	maxReadBytes = 64 << 20 // bytes of the texts of all rows that are read
	// MaxOffset is how many rows can be passed over.
	MaxOffset = 10_000
)

// Window says which rows of which sheet are shown.
type Window struct {
	Sheet  *int // its index; nil: the one that is read
	Offset int  // of the rows with values, from the first of the file on
	Limit  int
}

// Preview is a part of a file as it is read.
type Preview struct {
	Job     *job.Job
	Dialect *sheet.Dialect
	// Evidence is what the encoding rests on; "" for workbooks.
	Evidence rowview.EncodingEvidence
	Columns  []job.MappedColumn // none of a sheet that is not the one that is read
	Sheets   []sheet.Summary
	Rows     []rowview.DisplayRow
	More     bool                 // rows follow those of Rows
	LastRows []rowview.DisplayRow // the last of the file, in its order; nil where they are not known
}

// Preview shows rows of the job's file as they are read, from above the header on, with
// their numbers. STATE_CONFLICT before the file has been analysed once; GONE where it is
// not kept.
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

// loadPreview is what the database knows of the job's file.
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
		return nil, nil, fmt.Errorf("dialect of job %s: %w", p.Job.ID, err)
	}
	var last []rowview.DisplayRow
	if kept != nil {
		if err := json.Unmarshal(kept, &last); err != nil {
			return nil, nil, fmt.Errorf("last rows of job %s: %w", p.Job.ID, err)
		}
	}
	options, err := fileOptions(p.Job.Options)
	p.Evidence = rowview.NewEncodingEvidence(p.Dialect, options)
	return p, last, err
}

// switchSheet turns the preview to another sheet than the one that is read.
func (s *Service) switchSheet(ctx context.Context, p *Preview, file sheet.Source, index int) error {
	if p.Sheets == nil {
		return problem.New(problem.ParameterInvalid, "The file has no sheets.").With("sheet", problem.ParameterInvalid, "Leave it out.")
	}
	if index < 0 || index >= len(p.Sheets) || !p.Sheets[index].HasCells {
		return problem.New(problem.SheetNotFound, "The workbook has no sheet of cells with that index.").With("sheet", problem.SheetNotFound, "The index of one of its sheets, from 0.")
	}
	p.Columns = nil
	dialect, err := reader.Detect(ctx, file, sheet.Options{SheetIndex: &index}, s.limits)
	if problem.CodeOf(err) == problem.NoDataSheet {
		dialect, err = &sheet.Dialect{Format: p.Dialect.Format, SheetIndex: index, SheetName: p.Sheets[index].Name}, nil
	}
	p.Dialect = dialect
	return err
}

// readWindow reads the rows of the window, and on to the end if that is near.
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

// windowFiller fills a window.
type windowFiller struct {
	preview   *Preview
	window    Window
	n         int // rows so far
	size      int // bytes of those that are shown
	readBytes int // bytes of all
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
