package job

// DuplicateRow is a row of a planned file that shares a key with another row of it, directly or
// by rows between them. All such rows are rehearsed, and written, with the chunk of the
// first of them.
type DuplicateRow struct {
	Row   int64
	First int64 // row that shares keys with it: itself, if it is the first
	Chunk int   // that holds Row
	// Outcome is what the row was rehearsed with; 0 before.
	Outcome Outcome
}
