package job

import "time"

// ColumnDecision is what a person decided about the columns with a header. It
// holds for later files of the organisation and import type.
type ColumnDecision struct {
	ID          int64
	Key         string // the header normalised: headers with the same key are the same
	Header      string // as it was written
	TargetField string // "": such columns are ignored
	DecidedAt   time.Time
	DecidedIn   ID // the import; "" if it was decided before that was kept
}

// CellDecision is what a person decided about a value of a field.
type CellDecision struct {
	ID          int64
	TargetField string
	Key         string // the value normalised
	Value       string // as it was written
	EntityID    string // "": rows with the value are skipped, or see Create
	Create      bool   // an entity is to be made of the value
	DecidedAt   time.Time
	DecidedIn   ID // the import; "" if it was decided before that was kept
}

// Headers of the columns that an error workbook has before those of the file.
const (
	RowHeader   = "Loadbay row"     // the row's number in the file that was imported
	ErrorHeader = "Loadbay message" // what is wrong with it
)

// Annotation reports whether a header is one of an error workbook's own.
func Annotation(header string) bool { return header == RowHeader || header == ErrorHeader }
