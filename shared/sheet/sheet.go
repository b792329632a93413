// Package sheet is the contract of reading spreadsheets: a file of any size
// becomes a stream of rows, in memory that does not grow with their number.
//
// A file goes through three calls, which package reader offers for every format
// (CSV and its relatives, NDJSON, XLSX, XLS; distinguished by their content):
//
//	Detect  what is it? format, encoding, delimiter, sheet, header row → Dialect
//	Open    its rows, one after the other, with their true row numbers → Rows
//	Cut     its boundaries: chunks of rows that can be read on their own → Chunk
//
// A Dialect is plain data: it is kept with the job, shown to people, and makes
// every later read of the same file independent of guessing.
//
// Packages text, xlsx and xls read the formats, package value turns cells into
// typed values, and this one holds what they share: the types, the pack format of
// chunks that are not byte ranges, what a sample of rows says about the header,
// and what is known of how a column's texts are read.
package sheet

import (
	"bytes"
	"context"
	"io"

	"github.com/loadbay/loadbay/shared/problem"
)

// Source is a file of known size that can be read at any place: an object in
// S3 by ranges, a local file, bytes.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Format is what a file really is, whatever its name says.
type Format string

// The formats that Loadbay reads.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
	XLSX   Format = "xlsx"
	XLS    Format = "xls"
)

// IsText reports whether files of the format are text, which is cut by byte range.
func (f Format) IsText() bool { return f == CSV || f == NDJSON }

// Options are what the caller of an import states instead of leaving it to
// detection. The zero value of each means "find out".
type Options struct {
	Format     Format `json:"format,omitempty"`
	Encoding   string `json:"encoding,omitempty"`   // a label of package charset, as in "utf-8", "windows-1250", "cp1250"
	Delimiter  string `json:"delimiter,omitempty"`  // one character
	Quote      string `json:"quote,omitempty"`      // one character, or "none"
	HeaderRow  int64  `json:"headerRow,omitempty"`  // 1-based row number of the header, of its last row where it has several
	HeaderRows int    `json:"headerRows,omitempty"` // how many rows the header has, up to maxHeaderRows; 0: one
	// SkipFooterRows is how many rows at the end are no data: totals, notes. Blank ones
	// do not count.
	SkipFooterRows int    `json:"skipFooterRows,omitempty"`
	SheetIndex     *int   `json:"sheetIndex,omitempty"` // 0-based, as in the source design
	SheetName      string `json:"sheetName,omitempty"`
	// DateOrder is "dmy", "mdy" or "ymd", DecimalMark "." or ",", of all columns; empty:
	// each column's own cells decide, and what they leave open is asked or refused.
	DateOrder   string `json:"dateOrder,omitempty"`
	DecimalMark string `json:"decimalMark,omitempty"`
	// Columns say the same of single columns, and are right where both do.
	Columns []ColumnOptions `json:"columns,omitempty"`
	// Assume is how the file is read where neither these options nor the file say.
	Assume Assumptions `json:"assume,omitzero"`
}

// ColumnOptions are what the caller states about one column.
type ColumnOptions struct {
	Column      string `json:"column"` // its header; Header#2 for the second of that name, #3 for the third column: see package mapping/document
	DateOrder   string `json:"dateOrder,omitempty"`
	DecimalMark string `json:"decimalMark,omitempty"`
}

// Dialect is what was detected or stated about a file: all that a reader needs
// to read it the same way again, from the start or from a chunk.
type Dialect struct {
	Format     Format   `json:"format"`
	Encoding   string   `json:"encoding,omitempty"`
	BOM        int      `json:"bom,omitempty"` // bytes of byte order mark (and of a "sep=" line) before the first row
	Delimiter  string   `json:"delimiter,omitempty"`
	Quote      string   `json:"quote,omitempty"`
	LineEnd    string   `json:"lineEnd,omitempty"` // "\n", "\r\n", "\r"
	SheetName  string   `json:"sheetName,omitempty"`
	SheetIndex int      `json:"sheetIndex,omitempty"`
	HeaderRow  int64    `json:"headerRow"`            // 1-based row number, of the last where it has several; 0 where the format has none (NDJSON)
	HeaderRows int      `json:"headerRows,omitempty"` // how many rows it has, where they are several
	FooterRow  int64    `json:"footerRow,omitempty"`  // 1-based row number of the first row at the end that is no data; 0: there is none
	DataOffset int64    `json:"dataOffset,omitempty"` // text: byte offset of the first row after the header
	Header     []string `json:"header"`               // as Name has them, one per column; "" for a blank one
	Nested     bool     `json:"nested,omitempty"`     // NDJSON: what is in objects within objects has columns of its own, "name.first"
	Date1904   bool     `json:"date1904,omitempty"`
	// DateOrder and DecimalMark are those that the options state, for all columns; ""
	// leaves it to each column: see Locale.
	DateOrder   string `json:"dateOrder,omitempty"`
	DecimalMark string `json:"decimalMark,omitempty"`
	// Assumed is how what the file leaves open is read, as the options say.
	Assumed  Assumptions `json:"assumed,omitzero"`
	Warnings []string    `json:"warnings,omitempty"` // what was noticed and accepted: a code of package problem, and what else there is to say
}

// SetHeader keeps the header, and says in a warning if it is not the file's own
// in every letter.
func (d *Dialect) SetHeader(h Header) {
	d.Header, d.HeaderRow = h.Names, h.Row
	if h.Rows > 1 {
		d.HeaderRows = h.Rows
	}
	if h.Changed {
		d.Warnings = append(d.Warnings, string(problem.HeaderChanged))
	}
}

// RangeReadable reports whether a chunk of the file is a byte range of the file
// itself, as it is in UTF-8 text. All else is rewritten into chunk objects in the
// format of PackWriter.
func (d *Dialect) RangeReadable() bool {
	return d.Format.IsText() && (d.Encoding == "utf-8" || d.Encoding == "")
}

// Limits bound what one file may cost. They are enforced while reading, before
// the memory is spent.
type Limits struct {
	Rows         int64 // text; workbooks have their format's own limit
	Columns      int
	CellBytes    int   // one cell's text
	Decompressed int64 // a workbook's parts together
	Ratio        int64 // decompressed : compressed
	SharedBytes  int64 // shared strings kept in memory; more is spilled to a temporary file
}

// DefaultLimits are those of the design.
func DefaultLimits() Limits {
	return Limits{
		Rows:         5_000_000,
		Columns:      500,
		CellBytes:    4 * 32_767, // as many characters, of up to four bytes
		Decompressed: 2 << 30,
		Ratio:        100,
		SharedBytes:  64 << 20,
	}
}

// Kind is what a cell holds, as far as its file says.
type Kind uint8

// The kinds of cells. CSV knows Empty and Text only.
const (
	Empty      Kind = iota
	Text            // as written
	Number          // decimal text with the file's full precision, as in "0.1" or "1E+20"
	Bool            // "true" or "false"
	Date            // a number whose format is a date: RFC 3339 without zone, "2026-01-31" or "2026-01-31T10:20:30" or "10:20:30"
	JSON            // a nested value of NDJSON, as JSON text
	ErrorValue      // an error value of the workbook, as in "#REF!"
	Formula         // a formula without a cached value; Bytes is empty
	Formatted       // a number that its format shows otherwise: see Cell.Number and Cell.Shown
)

// Cell is one value. Bytes is only valid until the next call of Rows.Next.
type Cell struct {
	Kind  Kind
	Bytes []byte
}

// formattedMark stands between the number and the text of a Formatted cell.
const formattedMark = 0

// AppendDisplayText appends what a number's format shows of it, so that both together
// are the bytes of a Formatted cell.
func AppendDisplayText(number, shown []byte) []byte {
	return append(append(number, formattedMark), shown...)
}

// DisplayText is the text that a person sees in the cell.
func (c Cell) DisplayText() []byte {
	if c.Kind != Formatted {
		return c.Bytes
	}
	return c.Bytes[bytes.IndexByte(c.Bytes, formattedMark)+1:]
}

// AsNumber is a Formatted cell as the Number that it holds, and any other as it is.
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
	// Number is the 1-based number that a spreadsheet program shows for the
	// row: blank rows count, a line end inside quotes does not.
	Number int64
	Cells  []Cell
	// ErrorCode is a code of package problem where the row cannot be taken as it
	// is, as in ROW_WIDTH for a ragged one; empty for a sound row.
	ErrorCode string
}

// Rows is a stream of the rows after the header. Blank rows are counted, not
// returned.
type Rows interface {
	// Next reads the next row: false at the end or at an error.
	Next() bool
	// Row is the row that Next has read.
	Row() *Row
	// Err is the error that ended the stream early: a *problem.Error for a
	// error in the file, anything else for an error of the source.
	Err() error
	// Counts reports what has been read so far.
	Counts() Counts
	// Close frees what the stream holds.
	Close() error
}

// Counts reconcile a file: Lines = Rows + Blank + Header.
type Counts struct {
	Lines  int64 // rows of the file, header and blank ones included
	Rows   int64 // rows with data
	Blank  int64
	Header int64 // header rows, rows above the header that were passed over, and those of the footer
}

// Chunk is a run of consecutive rows that can be read on its own.
type Chunk struct {
	Index    int
	Offset   int64 // byte range of the source (RangeReadable); 0 for a pack
	Length   int64 // bytes of that range, or of the pack
	FirstRow int64 // number of its first row
	Lines    int   // rows in it, blank ones included: the last is FirstRow+Lines-1
	Rows     int   // rows with data
	CRC32C   uint32
}

// Cutter receives the chunks of a file as they are found. body is the chunk's
// content in the format of PackWriter for files that are not RangeReadable,
// and nil for the others.
type Cutter func(ctx context.Context, c Chunk, body []byte) error
