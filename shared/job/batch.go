package job

import "time"

// Batch is how the order API sees a job that was uploaded there: a number that
// people can say, and three statuses. It is a view of the job, kept nowhere else.
type Batch struct {
	JobID     ID
	Number    string // BU, the day (UTC), and four digits: "BU202510040001"
	Uploader  string // the caller that uploaded it, as the token names it
	Filename  string
	SHA256    string // of the file, hex; "" until known
	HeaderRow int64  // the row number of the file's header; 0 until it is known

	TotalRows        *int64 // nil where the batch has failed: rows are left that nothing came of
	Created          int64
	Failed           int64
	SkippedDuplicate int64
	Status           BatchStatus
	WaitingFor       WaitReason
	Failure          *Failure
	DurationMS       *int64 // from upload to end

	UploadedAt, UpdatedAt time.Time
}

// BatchStatus is where a batch stands.
type BatchStatus string

// The statuses of a batch. One that was cancelled has failed.
const (
	BatchProcessing BatchStatus = "PROCESSING"
	BatchCompleted  BatchStatus = "COMPLETED"
	BatchFailed     BatchStatus = "FAILED"
)

// Valid reports whether s is one of the statuses.
func (s BatchStatus) Valid() bool {
	return s == BatchProcessing || s == BatchCompleted || s == BatchFailed
}

// BatchRow is what a batch keeps of a row that was valid.
type BatchRow struct {
	Row       int64
	Key       string
	Basis     string // CLIENT_REFERENCE or HASH
	EntityID  string // what people call the order that the row made; "" for a duplicate, and where there is none yet, or none any more
	Duplicate string // the order that has the key already; "" for a row that made it
}
