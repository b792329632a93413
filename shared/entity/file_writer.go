package entity

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"
)

// FileWriter is an import type whose rows depend on each other: its file is read
// as one before anything is written.
type FileWriter interface {
	Type
	// PrepareFile looks at all valid rows of a file. The same file is always read the
	// same way: an import that continues in another invocation reads it again.
	PrepareFile(f *File) (PreparedFile, error)
	// Report makes the import's result of what its last part left behind.
	Report(left json.RawMessage, s Summary) (any, error)
}

// File is a whole file.
type File struct {
	Batch    *Batch // its valid rows, in file order
	Settings Settings
}

// PreparedFile is a file that has been read.
type PreparedFile interface {
	// Order is the order in which the rows are written, as places in the file's
	// batch, all of them once. Rows are written in parts, a transaction each.
	Order() []int
	// WritePart writes some rows that follow each other in that order, sets their
	// results as RowWriter.Write does, and returns what it leaves behind for the
	// next part and the report; left is what the part before it has left, or nil.
	// Nothing else may stay from one part to the next. An error means that
	// nothing of the part may stay: smaller parts are tried.
	WritePart(ctx context.Context, tx pgx.Tx, b *Batch, left json.RawMessage) (json.RawMessage, error)
}

// Summary is the outcome of a file, as the framework counts it.
type Summary struct {
	FileLines       int64   `json:"fileLines"`
	BlankLines      int64   `json:"blankLines"`
	HeaderRows      int64   `json:"headerRows"` // with those that repeat the header
	TotalRows       int64   `json:"totalRows"`
	Created         int64   `json:"created"`
	Updated         int64   `json:"updated"`
	Unchanged       int64   `json:"unchanged"`
	Skipped         int64   `json:"skipped"`
	Errors          int64   `json:"errors"`
	Issues          []Issue `json:"issues"`
	IssuesTruncated bool    `json:"issuesTruncated"`
}

// Issue is one thing to say about a row.
type Issue struct {
	RowNumber int64  `json:"rowNumber"`
	Outcome   string `json:"outcome"`
	Code      string `json:"code"`
	Field     string `json:"field"`
	Value     string `json:"value"`
	Message   string `json:"message"`
}
