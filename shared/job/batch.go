package job

import "time"

// Batch is a job that was uploaded through the order API, in that API's terms: a short
// number and three statuses. It is a view of the job and is not stored itself.
type Batch struct {
	JobID     ID
	Number    string // BU, the day (UTC), and four digits: "BU202510040001"
	Uploader  string // caller that uploaded it, as named by the token
	Filename  string
	SHA256    string // of the file, hex; "" until known
	HeaderRow int64  // row number of the file's header; 0 until known

	TotalRows        *int64 // nil if the batch failed, as some rows have no outcome
	Created          int64
	Failed           int64
	SkippedDuplicate int64
	Status           BatchStatus
	WaitingFor       WaitReason
	Failure          *Failure
	Warnings         []string    // of the import; see Job.WarningCodes
	DurationMS       *int64      // from upload to end
	Undone           *RevertedBy // nil unless another job has undone its import
	Undoing          bool        // an undo of its import is running

	UploadedAt, UpdatedAt time.Time
}

// BatchStatus is the status of a batch.
type BatchStatus string

// The statuses of a batch. A cancelled batch has failed.
const (
	BatchProcessing BatchStatus = "PROCESSING"
	BatchCompleted  BatchStatus = "COMPLETED"
	BatchFailed     BatchStatus = "FAILED"
)

// Valid reports whether s is one of the statuses.
func (s BatchStatus) Valid() bool {
	return s == BatchProcessing || s == BatchCompleted || s == BatchFailed
}

// BatchRow is the result of a valid row of a batch.
type BatchRow struct {
	Row       int64
	Key       string
	Basis     string // CLIENT_REFERENCE or HASH
	EntityID  string // public id of the order that the row created; "" for a duplicate, and if the order does not exist yet or was deleted
	Duplicate string // order that already has the key; "" if the row created the order
}
