// Package sheet defines the interface for reading spreadsheets: a file of any size becomes a
// stream of rows, with memory that does not grow with their number.
//
// A file goes through three calls, which package reader offers for every format
// (CSV and its relatives, NDJSON, XLSX, XLS; distinguished by their content):
//
//	Detect  determines format, encoding, delimiter, sheet and header row → Dialect
//	Open    streams the rows with their row numbers in the file → Rows
//	Cut     splits the file into chunks of rows that can be read independently → Chunk
//
// A Dialect is plain data: it is stored with the job, shown to people, and every later read of the
// same file uses it instead of a new detection.
//
// Packages text, xlsx and xls read the formats, and package value converts cells into typed
// values. This package contains the shared parts: the types, the pack format of chunks that are
// not byte ranges, the detection of the header in a sample of rows, and the locale of a column's
// texts.
package sheet

import (
	"bytes"
	"context"
	"io"

	"github.com/loadbay/loadbay/shared/problem"
)

// Source is a file of known size with random access: an object in S3 by ranges, a local file,
// bytes.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Format is the actual format of a file, independent of its name.
type Format string

// The supported formats.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
	XLSX   Format = "xlsx"
	XLS    Format = "xls"
)

// IsText reports whether files of the format are text, which is cut by byte range.
func (f Format) IsText() bool { return f == CSV || f == NDJSON }

// Options are the reading options that the caller of an import states. The zero value of each
// means detection.
type Options struct {
	Format     Format `json:"format,omitempty"`
	Encoding   string `json:"encoding,omitempty"`   // a label of package charset, as in "utf-8", "windows-1250", "cp1250"
	Delimiter  string `json:"delimiter,omitempty"`  // one character
	Quote      string `json:"quote,omitempty"`      // one character, or "none"
	HeaderRow  int64  `json:"headerRow,omitempty"`  // 1-based row number of the header, of its last row if there are several
	HeaderRows int    `json:"headerRows,omitempty"` // number of header rows, up to maxHeaderRows; 0: one
	// SkipFooterRows is the number of rows at the end without data: totals, notes. Blank rows
	// do not count.
	SkipFooterRows int    `json:"skipFooterRows,omitempty"`
	SheetIndex     *int   `json:"sheetIndex,omitempty"` // 0-based, as in the source design
	SheetName      string `json:"sheetName,omitempty"`
	// DateOrder is "dmy", "mdy" or "ymd", DecimalMark "." or ",", for all columns. If empty, each
	// column's cells decide; if they are ambiguous, a person is asked or the file is rejected.
	DateOrder   string `json:"dateOrder,omitempty"`
	DecimalMark string `json:"decimalMark,omitempty"`
	// Columns override DateOrder and DecimalMark for single columns.
	Columns []ColumnOptions `json:"columns,omitempty"`
	// Assume applies where neither these options nor the file decide.
	Assume Assumptions `json:"assume,omitzero"`
	// OnlyBeginning detects the columns of NDJSON from the beginning of the file, to show or check
	// it quickly. Columns that first occur further down are missing.
	OnlyBeginning bool `json:"-"`
}

// StatesSheet reports whether the options select a sheet.
func (o *Options) StatesSheet() bool { return o.SheetName != "" || o.SheetIndex != nil }

// ColumnOptions are the options of one column.
type ColumnOptions struct {
	Column      string `json:"column"` // its header; Header#2 for the second with that name, #3 for the third column: see package mapping/document
	DateOrder   string `json:"dateOrder,omitempty"`
	DecimalMark string `json:"decimalMark,omitempty"`
}

// Dialect contains everything that was detected or stated about a file and that a reader needs to
// read it in the same way, from the start or from a chunk.
type Dialect struct {
	Format     Format   `json:"format"`
	Encoding   string   `json:"encoding,omitempty"`
	BOM        int      `json:"bom,omitempty"` // length in bytes of the byte order mark (and of a "sep=" line) before the first row
	Delimiter  string   `json:"delimiter,omitempty"`
	Quote      string   `json:"quote,omitempty"`
	LineEnd    string   `json:"lineEnd,omitempty"` // "\n", "\r\n", "\r"
	SheetName  string   `json:"sheetName,omitempty"`
	SheetIndex int      `json:"sheetIndex,omitempty"`
	HeaderRow  int64    `json:"headerRow"`            // 1-based row number, of the last header row if there are several; 0 for a format without header (NDJSON)
	HeaderRows int      `json:"headerRows,omitempty"` // number of header rows, if there are several
	FooterRow  int64    `json:"footerRow,omitempty"`  // 1-based row number of the first footer row; 0: none
	DataOffset int64    `json:"dataOffset,omitempty"` // text: byte offset of the first row after the header
	Header     []string `json:"header"`               // results of CleanName, one per column; "" for a blank one
	RowCells   int      `json:"rowCells,omitempty"`   // CSV: maximum number of cells per row; 0: analysed by a version without this limit, and without the detection of stray quotes
	Nested     bool     `json:"nested,omitempty"`     // NDJSON: values of nested objects have their own columns, "name.first"
	Date1904   bool     `json:"date1904,omitempty"`
	// DateOrder and DecimalMark are those stated in the options, for all columns; "" means that
	// each column has its own: see Locale.
	DateOrder   string `json:"dateOrder,omitempty"`
	DecimalMark string `json:"decimalMark,omitempty"`
	// Assumed are the assumptions of the options for ambiguous content.
	Assumed  Assumptions `json:"assumed,omitzero"`
	Warnings []string    `json:"warnings,omitempty"` // accepted irregularities: a code of package problem, with details
}

// SetHeader sets the header, and adds a warning if a name differs from the file's text.
func (d *Dialect) SetHeader(h Header) {
	d.Header, d.HeaderRow = h.Names, h.Row
	if h.Rows > 1 {
		d.HeaderRows = h.Rows
	}
	if h.Changed {
		d.Warnings = append(d.Warnings, string(problem.HeaderChanged))
	}
}

// RangeReadable reports whether chunks are byte ranges of the file itself, as for UTF-8 text. All
// other files are rewritten into chunk objects in the format of PackWriter.
func (d *Dialect) RangeReadable() bool {
	return d.Format.IsText() && (d.Encoding == "utf-8" || d.Encoding == "")
}

// Limits limit the resources that one file may use. They are enforced while reading, before
// memory is allocated.
type Limits struct {
	Rows         int64 // of text; workbooks have the limit of their format
	Columns      int
	CellBytes    int   // text of one cell
	Decompressed int64 // all parts of a workbook together
	Ratio        int64 // decompressed : compressed
	SharedBytes  int64 // shared strings in memory; the rest is written to a temporary file
}

// DefaultLimits returns the limits of the design.
func DefaultLimits() Limits {
	return Limits{
		Rows:         5_000_000,
		Columns:      500,
		CellBytes:    4 * 32_767, // the same number of characters, of up to four bytes
		Decompressed: 2 << 30,
		Ratio:        100,
		SharedBytes:  64 << 20,
	}
}

// Kind is the kind of a cell according to its file.
type Kind uint8

// The kinds of cells. CSV only has Empty and Text.
const (
	Empty      Kind = iota
	Text            // unchanged
	Number          // decimal text with the file's full precision, as in "0.1" or "1E+20"
	Bool            // "true" or "false"
	Date            // a number with a date format: RFC 3339 without zone, "2026-01-31" or "2026-01-31T10:20:30" or "10:20:30"
	JSON            // a nested value of NDJSON, as JSON text
	ErrorValue      // an error value of the workbook, as in "#REF!"
	Formula         // a formula without a cached value; Bytes is empty
	Formatted       // a number with a different displayed text: see Cell.AsNumber and Cell.DisplayText
)

// Cell is one value. Bytes is only valid until the next call of Rows.Next.
type Cell struct {
	Kind  Kind
	Bytes []byte
}

// formattedMark separates the number from the text in a Formatted cell.
const formattedMark = 0

// AppendDisplayText appends the displayed text of a number; both together are the bytes of a
// Formatted cell.
func AppendDisplayText(number, shown []byte) []byte {
	return append(append(number, formattedMark), shown...)
}

// DisplayText returns the text that a person sees in the cell.
func (c Cell) DisplayText() []byte {
	if c.Kind != Formatted {
		return c.Bytes
	}
	return c.Bytes[bytes.IndexByte(c.Bytes, formattedMark)+1:]
}

// AsNumber converts a Formatted cell into the Number that it contains, and returns any other cell
// unchanged.
func (c Cell) AsNumber() Cell {
	if c.Kind != Formatted {
		return c
	}
	number, _, _ := bytes.Cut(c.Bytes, []byte{formattedMark})
	return Cell{Kind: Number, Bytes: number}
}

// Row is one row of the file. It and its cells are only valid until the next
// call of Rows.Next.
type Row struct {
	// Number is the 1-based row number in a spreadsheet program: blank rows count, line ends
	// inside quotes do not.
	Number int64
	Cells  []Cell
	// ErrorCode is a code of package problem if the row is invalid, such as ROW_WIDTH for a
	// ragged one; "" for a valid row.
	ErrorCode string
	// Hidden reports whether a spreadsheet program hides the row, for example because of a filter.
	// Chunks do not preserve it.
	Hidden bool
}

// Rows is a stream of the rows after the header. Blank rows are counted, not
// returned.
type Rows interface {
	// Next reads the next row and returns false at the end or at an error.
	Next() bool
	// Row returns the row that Next has read.
	Row() *Row
	// Err returns the error that ended the stream early: a *problem.Error for an error in the
	// file, any other for an error of the source.
	Err() error
	// Counts returns the counts of the rows read so far.
	Counts() Counts
	// Close releases the stream's resources.
	Close() error
}

// Counts reconcile a file: Lines = Rows + Blank + Header.
type Counts struct {
	Lines  int64 // rows of the file, header and blank ones included
	Rows   int64 // rows with data
	Blank  int64
	Header int64 // header rows, skipped rows above the header, and footer rows
	// Layout describes the rows with data of a workbook; it is complete after the last row.
	Layout Layout
}

// Layout describes where a spreadsheet program shows other rows and values than those that are read.
type Layout struct {
	HiddenRows  int64
	FirstHidden int64  // number of the first hidden row; 0: none
	Merged      int    // ranges of cells that are merged over several rows, at most MaxMerged
	FirstMerged string // the first of them, such as C2:C4
	Beyond      int64  // cells with a value right of all columns of the header
	FirstBeyond int64  // number of the first row with such cells; 0: none
}

// MaxMerged is the maximum number of merged ranges that are counted.
const MaxMerged = 10_000

// Chunk is a run of consecutive rows that can be read independently.
type Chunk struct {
	Index    int
	Offset   int64 // byte range of the source (RangeReadable); 0 for a pack
	Length   int64 // bytes of that range, or of the pack
	FirstRow int64 // number of the first row
	Lines    int   // number of rows including blank ones: the last is FirstRow+Lines-1
	Rows     int   // rows with data
	CRC32C   uint32
}

// Cutter receives the chunks of a file. body is the chunk's content in the format of PackWriter
// for files that are not RangeReadable, and nil for the others.
type Cutter func(ctx context.Context, c Chunk, body []byte) error
