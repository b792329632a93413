package entity

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"
)

// FileWriter is an import type whose rows depend on each other: the whole file is read before
// anything is written.
type FileWriter interface {
	Type
	// PrepareFile processes all valid rows of a file. It must be deterministic: an import that
	// continues in another invocation prepares the file again.
	PrepareFile(f *File) (PreparedFile, error)
	// Report builds the import's result from the state that the last part returned.
	Report(left json.RawMessage, s Summary) (any, error)
}

// File is a complete file.
type File struct {
	Batch    *Batch // its valid rows, in file order
	Invalid  int    // number of its other rows
	Settings Settings
	// PersonDecisions are the decisions about the questions of a PersonAsker, by text.
	PersonDecisions map[string]PersonDecision
}

// PreparedFile is a file that has been read.
type PreparedFile interface {
	// Order returns the order in which the rows are written, as indexes in the file's batch, each
	// exactly once. Rows are written in parts of one transaction each.
	Order() []int
	// WritePart writes consecutive rows of that order, sets their results like RowWriter.Write,
	// and returns the state for the next part and the report. left is the state that the previous
	// part returned, or nil; no other state may be carried over. After an error the caller rolls
	// the part back and tries smaller parts.
	WritePart(ctx context.Context, tx pgx.Tx, b *Batch, left json.RawMessage) (json.RawMessage, error)
}

// PartDivider is a PreparedFile that decides where its parts end.
type PartDivider interface {
	// PartEnds returns the indexes in the order at which parts end, ascending; the last one is the
	// number of rows. A part should have about size rows.
	PartEnds(size int) []int
}

// FileWarner types report what a person should know about a whole file.
type FileWarner interface {
	FileWriter
	// Warnings returns warnings, each beginning with its code, from the state that the last part
	// returned.
	Warnings(left json.RawMessage) ([]string, error)
}

// Summary is the outcome of a file, as counted by the framework.
type Summary struct {
	FileLines       int64   `json:"fileLines"`
	BlankLines      int64   `json:"blankLines"`
	HeaderRows      int64   `json:"headerRows"` // including repeated headers
	TotalRows       int64   `json:"totalRows"`
	Created         int64   `json:"created"`
	Updated         int64   `json:"updated"`
	Unchanged       int64   `json:"unchanged"`
	Skipped         int64   `json:"skipped"`
	Errors          int64   `json:"errors"`
	IssueCount      int64   `json:"-"` // of all rows, more than Issues lists
	Issues          []Issue `json:"issues"`
	IssuesTruncated bool    `json:"issuesTruncated"`
}

// Issue is one remark about a row.
type Issue struct {
	RowNumber int64  `json:"rowNumber"`
	Outcome   string `json:"outcome"`
	Code      string `json:"code"`
	Field     string `json:"field"`
	Value     string `json:"value"`
	Message   string `json:"message"`
}
