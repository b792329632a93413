package rows

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// ErrorFormatter puts what is wrong with rows into the words of their file: a message names the
// field that it is about, and a value is as the file has it, not as it is stored.
type ErrorFormatter struct {
	declaration *entity.Declaration
	// written are values that are stored in another way than the file writes them: in
	// another case, or without hyphens.
	originals map[cellPlace]string
	// first and last are the rows that were decoded; 0 before there is one.
	first, last int64
}

// cellPlace is a cell.
type cellPlace struct {
	row   int64
	field string
}

// RowError converts a type's row error about a row of the file into the form that the
// job stores.
func (w *ErrorFormatter) RowError(row int64, f entity.RowError) job.RowError {
	if f.Value != "" {
		f.Value = w.originalValue(row, f)
	}
	return job.RowError{Code: string(f.Code), Field: f.Field, Value: f.Value, Message: w.withFieldTitle(f.Field, f.Message)}
}

// originalValue is the value of a row error as the file has it. What another part of the file
// has is not known: it is left out where it may be stored in another way.
func (w *ErrorFormatter) originalValue(row int64, f entity.RowError) string {
	if written, ok := w.originals[cellPlace{row, f.Field}]; ok {
		return written
	}
	at := w.declaration.FieldIndex(f.Field)
	if (row < w.first || row > w.last) && at >= 0 && hasVariants(w.declaration.Fields[at].Kind) {
		return ""
	}
	return f.Value
}

// hasVariants reports whether values of the kind are stored in one of several ways in
// which files write them.
func hasVariants(k entity.Kind) bool { return k == entity.Email || k == entity.UUID }

// startRow notes that a row is decoded.
func (w *ErrorFormatter) startRow(row int64) {
	if w.first == 0 {
		w.first = row
	}
	w.last = row
}

// withFieldTitle begins a message with what people call its field.
func (w *ErrorFormatter) withFieldTitle(field, message string) string {
	if at := w.declaration.FieldIndex(field); at >= 0 {
		return w.declaration.Fields[at].Title + ": " + message
	}
	return message
}

// noteOriginal keeps a value as the file writes it, where what is stored is shown otherwise.
func (w *ErrorFormatter) noteOriginal(row int64, field string, written, stored []byte) {
	if bytes.Equal(written, stored) {
		return
	}
	if w.originals == nil {
		w.originals = make(map[cellPlace]string)
	}
	w.originals[cellPlace{row, field}] = entity.Shorten(string(written))
}
