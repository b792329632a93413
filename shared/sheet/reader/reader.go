// Package reader reads every spreadsheet that Loadbay reads: it looks at the
// content, picks the format's own package, and gives all of them one shape. It
// is what everything outside shared/sheet calls.
//
//	d, err := reader.Detect(ctx, src, opt, lim)      // once; kept with the job
//	rows, err := reader.Open(ctx, src, d, lim)       // whole files
//	counts, err := reader.Cut(ctx, src, d, 5000, lim, emit)
//	rows, err := reader.OpenChunk(body, d, chunk, lim)
//
// Errors of a file are *problem.Error; any other error is one of the source,
// and worth another try.
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

// Detect finds out what the file is and how to read it. The caller, who knows
// the file's name, adds problem.FormatMismatch to the warnings where
// FormatFromName says otherwise.
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
		opt.Format = "" // the content says that it is text; which one is detected from it too
	}
	return text.Detect(ctx, src, opt, lim)
}

// SheetSummaries says what the sheets of a workbook are like; nil for a format that has none.
func SheetSummaries(ctx context.Context, src sheet.Source, format sheet.Format, lim sheet.Limits) ([]sheet.Summary, error) {
	switch format {
	case sheet.XLSX:
		return xlsx.SheetSummaries(ctx, src, lim)
	case sheet.XLS:
		return xls.SheetSummaries(ctx, src, lim)
	}
	return nil, nil
}

// RawDialect is a dialect by which all rows of a file are read, those above its data too: with
// the error ROW_WIDTH, which says nothing here. Objects keep their keys.
func RawDialect(d *sheet.Dialect) *sheet.Dialect {
	raw := *d
	raw.HeaderRow, raw.HeaderRows, raw.FooterRow, raw.DataOffset = 0, 0, 0, 0
	if d.Format != sheet.NDJSON {
		raw.Header = nil
	}
	return &raw
}

// findFooterRow is the number of the first of the last n rows. The whole file is read for it.
func findFooterRow(ctx context.Context, src sheet.Source, d *sheet.Dialect, n int, lim sheet.Limits) (row int64, err error) {
	rows, err := Open(ctx, src, d, lim)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return sheet.FindFooterRow(rows, n)
}

// Open streams the rows below the header, from the beginning of the file, as far as
// they hold no more text than its size allows: FILE_TOO_COMPRESSED.
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

// Cut finds the chunks of the file below its header, in file order and always
// the same ones. Chunks of files that are RangeReadable are byte ranges of the
// file; those of others come with a body, which is only valid during emit.
func Cut(ctx context.Context, src sheet.Source, d *sheet.Dialect, rowsPerChunk int, lim sheet.Limits, emit sheet.Cutter) (sheet.Counts, error) {
	if d.Format.IsText() {
		return text.Cut(ctx, src, d, rowsPerChunk, lim, emit)
	}
	rows, err := Open(ctx, src, d, lim)
	if err != nil {
		return sheet.Counts{}, err
	}
	defer rows.Close()
	return sheet.CutRows(ctx, rows, rowsPerChunk, emit)
}

// OpenChunk reads the rows of a chunk from its body: the byte range of the file,
// or the pack. A body that is not what was cut is an error of the source.
func OpenChunk(body []byte, d *sheet.Dialect, c sheet.Chunk, lim sheet.Limits) (sheet.Rows, error) {
	if int64(len(body)) != c.Length || sheet.Checksum(body) != c.CRC32C {
		return nil, fmt.Errorf("open chunk %d: its %d bytes are not the %d that were cut", c.Index, len(body), c.Length)
	}
	if d.RangeReadable() {
		return text.OpenChunk(body, d, c, lim)
	}
	return sheet.NewPackReader(body, c)
}
