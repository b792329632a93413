// Package export writes the rows of a type as a file: CSV, NDJSON or XLSX. Rows are passed
// from the database's cursor to the file's writer one by one, using constant memory.
//
// Exported files can be imported again unchanged. The only value that CSV and XLSX files
// change is text that a spreadsheet would interpret as a formula: see GuardFormula.
package export

import (
	"fmt"
	"io"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// Format is the file format of an export.
type Format string

// The formats.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
	XLSX   Format = "xlsx"
	// Archive is the format of an organisation's archive, which is no format of rows: see package archive.
	Archive Format = "zip"
)

// Formats lists the formats; the first is the default.
func Formats() []Format { return []Format{CSV, NDJSON, XLSX} }

// ParseFormat returns the format with that name; "" is the default.
func ParseFormat(name string) (Format, error) {
	if name == "" {
		return Formats()[0], nil
	}
	for _, f := range Formats() {
		if string(f) == name {
			return f, nil
		}
	}
	return "", problem.New(problem.ParameterInvalid, "Unknown export format %q.", entity.Shorten(name)).
		With("format", problem.ParameterInvalid, problem.OneOf(Formats()))
}

// ContentType returns the media type of a file.
func (f Format) ContentType() string {
	switch f {
	case NDJSON:
		return "application/x-ndjson"
	case XLSX:
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	case Archive:
		return "application/zip"
	default:
		return "text/csv; charset=utf-8; header=present"
	}
}

// Filename returns the name of a resource's file.
func (f Format) Filename(resource string) string { return resource + "." + string(f) }

// Disposition returns the header with which a browser saves the file under its name.
func (f Format) Disposition(resource string) string {
	return fmt.Sprintf("attachment; filename=%q", f.Filename(resource))
}

// Writer writes rows to a file.
type Writer interface {
	// Row writes a row: a value for each field in the text form of entity's Select, nil for an
	// absent one. It retains none of the values.
	Row(values [][]byte) error
	// Close completes the file.
	Close() error
	// Discard releases the file's resources instead of completing it.
	Discard() error
}

// NewWriter starts a file with the header of those fields.
func NewWriter(f Format, w io.Writer, fields []*entity.Field) (Writer, error) {
	switch f {
	case NDJSON:
		return newNDJSON(w, fields)
	case XLSX:
		return newXLSX(w, fields)
	default:
		return newCSV(w, fields)
	}
}
