package xlsx

import (
	"context"
	"errors"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
)

// Detect chooses the sheet and finds its header: see book.Detect.
func Detect(ctx context.Context, src sheet.Source, opt sheet.Options, lim sheet.Limits) (_ *sheet.Dialect, err error) {
	w, err := open(ctx, src, lim)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	return book.Detect(w, sheet.XLSX, opt, lim)
}

// SheetSummaries returns summaries of the workbook's sheets.
func SheetSummaries(ctx context.Context, src sheet.Source, lim sheet.Limits) (_ []sheet.Summary, err error) {
	w, err := open(ctx, src, lim)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	return book.SheetSummaries(w)
}

// Open streams the rows after the header of the sheet that d names. ctx must remain valid until the
// stream is closed.
func Open(ctx context.Context, src sheet.Source, d *sheet.Dialect, lim sheet.Limits) (sheet.Rows, error) {
	w, err := open(ctx, src, lim)
	if err != nil {
		return nil, err
	}
	w.enablePrefetch()
	return w.rows(d)
}

// rows returns the rows after the header of the sheet that d names. Closing them closes the
// workbook; on an error, it is closed immediately.
func (w *workbook) rows(d *sheet.Dialect) (sheet.Rows, error) {
	r, err := book.Open(w, d)
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return &rows{Rows: r, workbook: w}, nil
}

// rows are the rows of a sheet. Close also closes the workbook.
type rows struct {
	*book.Rows
	workbook *workbook
}

func (r *rows) Close() error { return errors.Join(r.Rows.Close(), r.workbook.close()) }
