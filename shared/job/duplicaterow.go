package job

import "github.com/loadbay/loadbay/shared/job/rowwrite"

// DuplicateRow is a row of a planned file that shares a key with another row, directly or
// through other rows. All such rows are planned, and written, with the chunk of the first of
// them.
type DuplicateRow struct {
	Row   int64
	First int64 // first row of the group of rows that share keys; may be Row itself
	Chunk int   // chunk that contains Row
	// Outcome is the planned outcome of the row; 0 before.
	Outcome rowwrite.Outcome
}
