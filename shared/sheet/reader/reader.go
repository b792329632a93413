// Package reader reads spreadsheets of all supported formats: it detects the format from the
// content and delegates to the format's package behind one interface. Code outside shared/sheet
// calls this package only.
//
//	d, err := reader.Detect(ctx, src, opt, lim)      // once; stored with the job
//	rows, err := reader.Open(ctx, src, d, lim)       // whole files
//	counts, err := reader.Cut(ctx, src, d, 5000, lim, emit)
//	rows, err := reader.OpenChunk(body, d, chunk, lim)
//
// Errors of a file are *problem.Error; any other error is an error of the source and may be
// retried.
package reader

import (
	"context"
	"errors"
	"fmt"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/text"
	"github.com/loadbay/loadbay/shared/sheet/xls"
	"github.com/loadbay/loadbay/shared/sheet/xlsx"
)

// Detect determines the format of the file and how to read it. The caller, who knows the file's
// name, adds problem.FormatMismatch to the warnings if FormatFromName disagrees.
func Detect(ctx context.Context, src sheet.Source, opt sheet.Options, lim sheet.Limits) (*sheet.Dialect, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	format, err := sniff(src)
	if err != nil {
		return nil, err
	}
	if format == sheet.XLS {
		switch encrypted, err := xlsx.Encrypted(ctx, src); {
		case err != nil:
			return nil, err
		case encrypted:
			format = sheet.XLSX
		}
	}
	d, err := detectAs(ctx, src, format, opt, lim)
	if err != nil {
		return nil, err
	}
	if opt.SkipFooterRows > 0 {
		if d.FooterRow, err = findFooterRow(ctx, src, d, opt.SkipFooterRows, lim); err != nil {
			return nil, err
		}
	}
	d.Assumed = opt.Assume
	if opt.Format != "" && opt.Format != d.Format {
		d.Warnings = append(d.Warnings, string(problem.FormatMismatch))
	}
	return d, nil
}

func detectAs(ctx context.Context, src sheet.Source, format sheet.Format, opt sheet.Options, lim sheet.Limits) (*sheet.Dialect, error) {
	switch format {
	case sheet.XLSX:
		return xlsx.Detect(ctx, src, opt, lim)
	case sheet.XLS:
		return xls.Detect(ctx, src, opt, lim)
	}
	if !opt.Format.IsText() {
		opt.Format = "" // the content is text; the text format is detected from it as well
	}
	return text.Detect(ctx, src, opt, lim)
}

// SheetSummaries returns summaries of a workbook's sheets, or nil for a format without sheets.
func SheetSummaries(ctx context.Context, src sheet.Source, format sheet.Format, lim sheet.Limits) ([]sheet.Summary, error) {
	switch format {
	case sheet.XLSX:
		return xlsx.SheetSummaries(ctx, src, lim)
	case sheet.XLS:
		return xls.SheetSummaries(ctx, src, lim)
	}
	return nil, nil
}

// RawDialect returns a dialect for reading all rows of a file, including those above its data. The
// rows have the error ROW_WIDTH, which is meaningless here. Objects keep their keys.
func RawDialect(d *sheet.Dialect) *sheet.Dialect {
	raw := *d
	raw.HeaderRow, raw.HeaderRows, raw.FooterRow, raw.DataOffset = 0, 0, 0, 0
	if d.Format != sheet.NDJSON {
		raw.Header = nil
	}
	return &raw
}

// findFooterRow returns the number of the first of the last n rows. It reads the whole file.
func findFooterRow(ctx context.Context, src sheet.Source, d *sheet.Dialect, n int, lim sheet.Limits) (row int64, err error) {
	rows, err := Open(ctx, src, d, lim)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return sheet.FindFooterRow(rows, n)
}

// Open streams the rows below the header, from the beginning of the file. It fails with
// FILE_TOO_COMPRESSED if they contain more text than the file's size allows.
func Open(ctx context.Context, src sheet.Source, d *sheet.Dialect, lim sheet.Limits) (sheet.Rows, error) {
	rows, err := open(ctx, src, d, lim)
	if err != nil {
		return nil, err
	}
	return sheet.StopBeforeFooter(sheet.WithBudget(rows, lim.Budget(src.Size())), d.FooterRow), nil
}

func open(ctx context.Context, src sheet.Source, d *sheet.Dialect, lim sheet.Limits) (sheet.Rows, error) {
	switch d.Format {
	case sheet.CSV, sheet.NDJSON:
		return text.Open(ctx, src, d, lim)
	case sheet.XLSX:
		return xlsx.Open(ctx, src, d, lim)
	case sheet.XLS:
		return xls.Open(ctx, src, d, lim)
	}
	return nil, fmt.Errorf("open a file of format %q", d.Format)
}

// Cut determines the chunks of the file below its header, in file order and always the same
// ones. Chunks of RangeReadable files are byte ranges of the file; chunks of other files have a
// body, which is only valid during emit.
func Cut(ctx context.Context, src sheet.Source, d *sheet.Dialect, rowsPerChunk int, lim sheet.Limits, emit sheet.Cutter) (sheet.Counts, error) {
	return CutObserved(ctx, src, d, rowsPerChunk, lim, sheet.Observer{}, emit)
}

// CutObserved is Cut, and shows the rows to an observer.
func CutObserved(ctx context.Context, src sheet.Source, d *sheet.Dialect, rowsPerChunk int, lim sheet.Limits, observe sheet.Observer, emit sheet.Cutter) (sheet.Counts, error) {
	if d.Format.IsText() {
		return text.Cut(ctx, src, d, rowsPerChunk, lim, observe, emit)
	}
	rows, err := Open(ctx, src, d, lim)
	if err != nil {
		return sheet.Counts{}, err
	}
	defer rows.Close()
	return sheet.CutRows(ctx, sheet.Observe(rows, observe), rowsPerChunk, emit)
}

// OpenChunk reads the rows of a chunk from its body: the byte range of the file, or the pack. A
// body that differs from the cut chunk is an error of the source.
func OpenChunk(body []byte, d *sheet.Dialect, c sheet.Chunk, lim sheet.Limits) (sheet.Rows, error) {
	if int64(len(body)) != c.Length || sheet.Checksum(body) != c.CRC32C {
		return nil, fmt.Errorf("open chunk %d: got %d bytes, want %d", c.Index, len(body), c.Length)
	}
	if d.RangeReadable() {
		return text.OpenChunk(body, d, c, lim)
	}
	return sheet.NewPackReader(body, c)
}
