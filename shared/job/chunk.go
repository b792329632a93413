package job

import "github.com/loadbay/loadbay/shared/job/rowwrite"

// Chunk is one entry of the ledger: a run of rows, their location, and the outcome of each.
type Chunk struct {
	JobKey        Key
	Index         int
	Key           string // object that contains the rows
	Offset        int64  // first byte within the object
	Length        int64
	FirstRow      int64
	Lines         int // rows of the file in it, including blank ones
	Rows          int // rows with data
	CRC32C        uint32
	Done          bool
	Outcomes      []byte // one Outcome for each line, once done
	DuplicateKeys []byte // rows with keys that also occur in other rows of the file: see shared/entity/dupkeys
}

// MaxDescribedRows is the number of rows of an import whose errors are stored. The outcome of every
// row is stored, in the ledger.
const MaxDescribedRows = 100_000

// RowResult is one row's outcome with its row errors.
type RowResult struct {
	Row     int64
	Outcome rowwrite.Outcome
	Errors  []rowwrite.Error
}
