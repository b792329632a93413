// Package job is the life of one import: its statuses and the moves between
// them, its chunks, and the outcome of each of its rows. It knows no database
// and no cloud.
package job

import (
	"encoding/json"
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// WriteMode says what a row does to an entity that exists already.
type WriteMode string

// The write modes.
const (
	Insert WriteMode = "insert" // an entity that exists makes its row an ERROR
	Upsert WriteMode = "upsert" // an entity that exists is updated
)

// Job is one import as the database keeps it.
type Job struct {
	Key            Key
	ID             ID
	OrganisationID tenant.ID
	ImportType     string
	ContextID      *int64 // what the rows belong to: a period, an event; nil where the type needs none
	Status         Status
	// Waiting says that the job has come to rest in a status that asks or ends. One
	// that is CELL_MAPPING and does not rest has its values looked up still.
	Waiting bool
	Mode    WriteMode
	// AutoStart makes the import one-shot: matched columns are confirmed,
	// unmatched ones ignored, and values that nobody knows make ERROR rows.
	AutoStart bool
	// Review says when a person is asked what the columns are.
	Review Review
	// WholeFile says that the file is read as one.
	WholeFile bool
	// SkipMapping makes the import of a whole file go past both mapping phases:
	// nobody is asked, and nothing that was decided before is applied.
	SkipMapping bool
	// CellsSkipped is set by "start": values that nobody mapped make ERROR rows.
	CellsSkipped bool
	DryRun       bool
	Plan         *Plan // nil where the rows are written at once

	Filename    string // as the caller named it: a label, never a path
	ContentType string
	ObjectKey   string
	ObjectETag  string // of the version that the import is about; "" until it has arrived or been analysed
	SizeBytes   int64
	SHA256      string // of the file, hex; "" until known
	Options     json.RawMessage
	Dialect     json.RawMessage // sheet.Dialect, once analysed
	// Rerun says that it has no file of its own: it reads those rows where the ledger of
	// RetryOf has them, with what people have corrected.
	RowRetry       bool
	FixedRows      int64   // rows in error that reruns have written or skipped since
	Retries        []Retry // the latest imports of its failed rows, newest first; none in lists
	MachineVersion int     // the version of the state machine that its execution runs: see Ref
	Reanalyses     int     // how often its file was to be read again
	// OptionsBefore are those that it had before its file was to be read again, while it is.
	PreviousOptions json.RawMessage
	// BytesRead is how much of the file the analysis, and then the cutting, have read.
	BytesRead    int64
	RequestID    string       // of the request that made the job; in every log line about it
	RetryOf      ID           // the job whose failed rows this one brings again
	Undo         *Undo        // nil unless the job takes back what another has changed
	Undone       *RevertedBy  // nil unless another job has taken back what this one has changed
	Label        string       // the caller's own word for it
	Uploader     string       // who made it, as the token named them; "drop" in the drop folder; "" where unknown
	MaxErrors    ErrorLimit   // beyond which the rest of it is left
	Notify       []string     // the mail addresses that are told when it waits or has ended
	BatchNumber  string       // of a type whose uploads are numbered; else ""
	Profile      *UsedProfile // nil where the file is read by none
	Progress     Progress
	Failure      *Failure
	CreatedAt    time.Time
	UpdatedAt    time.Time
	StartedAt    *time.Time // first became PROCESSING
	CompletedAt  *time.Time // became terminal
	UploadedAt   *time.Time // its object is stored
	UndoDays     int        // for how long after its end it can be undone; 0: what it changes is not kept
	UndoUntil    *time.Time // until when it can be; nil before its end, and where it cannot
	UndoOpen     bool       // that is not over, by the database's clock
	FilesDue     bool       // the files go with the next purge: nothing may be made of them any more
	ResultJSON   json.RawMessage
	WarningCodes []string
}

// AsksForValues reports whether a person is asked about values that nobody knows: not in
// a one-shot import, and not after the mapping of values was skipped.
func (j *Job) AsksForValues() bool { return !j.AutoStart && !j.CellsSkipped }

// Progress is how far a job has come. Rows count data rows only.
type Progress struct {
	TotalRows       int64 // 0 until the file is analysed; exact once it is cut
	Counts          Counts
	FileLines       int64 // all lines, once the file is cut
	BlankLines      int64
	HeaderLines     int64
	ChunkTotal      int
	ChunksDone      int
	SplitComplete   bool
	CallbackPending bool // the last chunk is committed and the task of AwaitRows is still to be completed
}

// Failure is why a job ended as FAILED or CANCELLED.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// RowsDone reports whether every chunk has been committed.
func (p Progress) RowsDone() bool { return p.SplitComplete && p.ChunksDone == p.ChunkTotal }

// Percent is the progress in whole percents; 100 only when all rows are done.
func (p Progress) Percent() int {
	if p.TotalRows <= 0 {
		if p.SplitComplete {
			return 100
		}
		return 0
	}
	return int(min(p.Counts.Processed()*100/p.TotalRows, 100))
}

// AccountedLines is the number of lines of which it is known what became of them:
// success + skipped + error + blank + header.
func (p Progress) AccountedLines() int64 { return p.Counts.Processed() + p.BlankLines + p.HeaderLines }

// Reconciles reports whether every line of the file is accounted for exactly once.
func (p Progress) Reconciles() bool { return p.FileLines == p.AccountedLines() }

// Unprocessed is the number of rows without an outcome, deferred ones apart. It is
// an estimate until the file is cut.
func (p Progress) Unprocessed() int64 {
	return max(p.TotalRows-p.Counts.Processed()-p.Counts.Deferred, 0)
}

// IfComplete is n for a job that is complete, and nil for one whose file was not, or
// not yet, imported to its end: figures of the whole file, of which those of its rows
// are the parts, would not be their sum.
func (j *Job) IfComplete(n int64) *int64 {
	if j.Status != Completed {
		return nil
	}
	return &n
}

// OpenErrors is how many rows in error nobody has put right.
func (j *Job) OpenErrors() int64 { return j.Progress.Counts.Errored - j.FixedRows }

// Phase is one of the places where an execution waits for a task to be completed.
type Phase string

// The phases, by their names in import.asl.json.
const (
	PhaseColumns  Phase = "COLUMN_MAPPING"
	PhaseCells    Phase = "CELL_MAPPING"
	PhaseRows     Phase = "ROWS"
	PhaseApproval Phase = "APPROVAL"
)

// Phases returns all of them.
func Phases() []Phase { return []Phase{PhaseColumns, PhaseCells, PhaseRows, PhaseApproval} }

// Ref is all that travels through the state machine and the queue.
type Ref struct {
	JobID          ID        `json:"jobId"`
	OrganisationID tenant.ID `json:"organisationId"`
	// Machine is the version of the state machine that an execution runs, as it says
	// itself where that matters; else 0. Executions keep what they were started with.
	MachineVersion int `json:"machine,omitempty"`
}

// ReanalyzeMachineVersion is the first version of the state machine whose executions can go back from
// a person's decisions to the analysis of the file.
const ReanalyzeMachineVersion = 2

// MaxReanalyses is how often a file is read again: the history of an execution is bounded.
const MaxReanalyses = 200

// Valid reports whether its ids are well-formed.
func (r Ref) Valid() bool { return isUUID(r.JobID) && r.OrganisationID.Valid() }

// ChunkRef is a message of the rows queue: a pointer, never rows.
type ChunkRef struct {
	Ref
	Chunk int `json:"chunk"`
}
