package job

// Chunk is one entry of the ledger: a run of rows, where they are, and what
// became of each.
type Chunk struct {
	JobKey        Key
	Index         int
	Key           string // the object that holds the rows
	Offset        int64  // first byte within the object
	Length        int64
	FirstRow      int64
	Lines         int // rows of the file in it, blank ones included
	Rows          int // rows with data
	CRC32C        uint32
	Done          bool
	Outcomes      []byte // one Outcome a line, once done
	DuplicateKeys []byte // its rows whose keys other rows of the file have: see shared/entity/dupkeys
}

// RowError is one reason why a row has its outcome.
type RowError struct {
	Code    string `json:"code"`
	Field   string `json:"field,omitempty"`
	Value   string `json:"value,omitempty"` // shortened
	Message string `json:"message"`
}

// RowResult is one row's outcome with its row errors.
type RowResult struct {
	Row     int64
	Outcome Outcome
	Errors  []RowError
}
