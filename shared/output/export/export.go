// Package export writes the rows of a type as a file: CSV, NDJSON or XLSX. Rows
// go from the database's cursor to the file's writer one by one, in memory that
// does not grow with their number.
//
// What is written can be imported again unchanged. The one thing that files of
// cells change is text that a spreadsheet would take for a formula: see Guard.
package export

import (
	"fmt"
	"io"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// Format is what an export is written as.
type Format string

// The formats.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
	XLSX   Format = "xlsx"
)

// Formats lists the formats; the first is the default.
func Formats() []Format { return []Format{CSV, NDJSON, XLSX} }

// ParseFormat returns the format of that name; "" is the default.
func ParseFormat(name string) (Format, error) {
	if name == "" {
		return Formats()[0], nil
	}
	for _, f := range Formats() {
		if string(f) == name {
			return f, nil
		}
	}
	return "", problem.New(problem.ParameterInvalid, "There is no export format %q.", entity.Shorten(name)).
		With("format", problem.ParameterInvalid, problem.OneOf(Formats()))
}

// ContentType is the media type of a file.
func (f Format) ContentType() string {
	switch f {
	case NDJSON:
		return "application/x-ndjson"
	case XLSX:
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	default:
		return "text/csv; charset=utf-8; header=present"
	}
}

// Filename is what a file of a resource is called.
func (f Format) Filename(resource string) string { return resource + "." + string(f) }

// Disposition lets a browser keep a file of a resource under its name.
func (f Format) Disposition(resource string) string {
	return fmt.Sprintf("attachment; filename=%q", f.Filename(resource))
}

// Writer writes rows to a file.
type Writer interface {
	// Row writes a row: a value a field in the text form of entity's Select, nil
	// for an absent one. It keeps nothing of it.
	Row(values [][]byte) error
	// Close completes the file.
	Close() error
	// Discard releases what the file needed instead of completing it.
	Discard() error
}

// NewWriter begins a file with the header of those fields.
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
