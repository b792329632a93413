package xls

import (
	"context"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
)

// Detect chooses the sheet and finds its header: see book.Detect.
func Detect(ctx context.Context, src sheet.Source, opt sheet.Options, lim sheet.Limits) (*sheet.Dialect, error) {
	w, err := open(ctx, src, lim)
	if err != nil {
		return nil, err
	}
	return book.Detect(w, sheet.XLS, opt, lim)
}

// SheetSummaries returns summaries of the workbook's sheets.
func SheetSummaries(ctx context.Context, src sheet.Source, lim sheet.Limits) ([]sheet.Summary, error) {
	w, err := open(ctx, src, lim)
	if err != nil {
		return nil, err
	}
	return book.SheetSummaries(w)
}

// Open streams the rows after the header of the sheet that d names.
func Open(ctx context.Context, src sheet.Source, d *sheet.Dialect, lim sheet.Limits) (sheet.Rows, error) {
	w, err := open(ctx, src, lim)
	if err != nil {
		return nil, err
	}
	return book.Open(w, d)
}
