package rows

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// Words puts what is wrong with rows into the words of their file: a message names the
// field that it is about, and a value is as the file has it, not as it is stored.
type Words struct {
	declaration *entity.Declaration
	// written are values that are stored in another way than the file writes them: in
	// another case, or without hyphens.
	written map[place]string
	// first and last are the rows that were decoded; 0 before there is one.
	first, last int64
}

// place is a cell.
type place struct {
	row   int64
	field string
}

// RowError converts a type's row error about a row of the file into the form that the
// job stores.
func (w *Words) RowError(row int64, f entity.RowError) job.RowError {
	if f.Value != "" {
		f.Value = w.value(row, f)
	}
	return job.RowError{Code: string(f.Code), Field: f.Field, Value: f.Value, Message: w.named(f.Field, f.Message)}
}

// value is the value of a row error as the file has it. What another part of the file
// has is not known: it is left out where it may be stored in another way.
func (w *Words) value(row int64, f entity.RowError) string {
	if written, ok := w.written[place{row, f.Field}]; ok {
		return written
	}
	at := w.declaration.FieldIndex(f.Field)
	if (row < w.first || row > w.last) && at >= 0 && rewritten(w.declaration.Fields[at].Kind) {
		return ""
	}
	return f.Value
}

// rewritten reports whether values of the kind are stored in one of several ways in
// which files write them.
func rewritten(k entity.Kind) bool { return k == entity.Email || k == entity.UUID }

// decoding notes that a row is decoded.
func (w *Words) decoding(row int64) {
	if w.first == 0 {
		w.first = row
	}
	w.last = row
}

// named begins a message with what people call its field.
func (w *Words) named(field, message string) string {
	if at := w.declaration.FieldIndex(field); at >= 0 {
		return w.declaration.Fields[at].Title + ": " + message
	}
	return message
}

// note keeps a value as the file writes it, where what is stored is shown otherwise.
func (w *Words) note(row int64, field string, written, stored []byte) {
	if bytes.Equal(written, stored) {
		return
	}
	if w.written == nil {
		w.written = make(map[place]string)
	}
	w.written[place{row, field}] = entity.Shorten(string(written))
}
