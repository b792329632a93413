package rows

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// ErrorFormatter formats row errors in terms of their file: a message contains the field's title,
// and a value appears as in the file, not as it is stored.
type ErrorFormatter struct {
	declaration *entity.Declaration
	// originals contains values that the file writes differently than they are stored: in
	// another case, or without hyphens.
	originals map[cellPlace]string
	// first and last are the decoded rows; 0 before the first one.
	first, last int64
}

// cellPlace identifies a cell.
type cellPlace struct {
	row   int64
	field string
}

// Format converts a type's row error into the form stored with the job.
func (w *ErrorFormatter) Format(row int64, f rowwrite.Error) rowwrite.Error {
	if f.Value != "" {
		f.Value = w.originalValue(row, f)
	}
	return rowwrite.Error{Code: f.Code, Field: f.Field, Value: f.Value, Message: w.withFieldTitle(f.Field, f.Message)}
}

// originalValue returns the value of a row error as it appears in the file. Values of other
// parts of the file are unknown and omitted if they may be stored differently.
func (w *ErrorFormatter) originalValue(row int64, f rowwrite.Error) string {
	if written, ok := w.originals[cellPlace{row, f.Field}]; ok {
		return written
	}
	at := w.declaration.FieldIndex(f.Field)
	if (row < w.first || row > w.last) && at >= 0 && hasVariants(w.declaration.Fields[at].Kind) {
		return ""
	}
	return f.Value
}

// hasVariants reports whether values of the kind can be written in several ways and are stored
// in one of them.
func hasVariants(k entity.Kind) bool { return k == entity.Email || k == entity.UUID }

// startRow records that a row is being decoded.
func (w *ErrorFormatter) startRow(row int64) {
	if w.first == 0 {
		w.first = row
	}
	w.last = row
}

// withFieldTitle prefixes a message with the title of its field.
func (w *ErrorFormatter) withFieldTitle(field, message string) string {
	if at := w.declaration.FieldIndex(field); at >= 0 {
		return w.declaration.Fields[at].Title + ": " + message
	}
	return message
}

// noteOriginal records a value as written in the file if its stored form looks different.
func (w *ErrorFormatter) noteOriginal(row int64, field string, written, stored []byte) {
	if bytes.Equal(written, stored) {
		return
	}
	if w.originals == nil {
		w.originals = make(map[cellPlace]string)
	}
	w.originals[cellPlace{row, field}] = entity.Shorten(string(written))
}
