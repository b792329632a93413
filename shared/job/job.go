// Package job models the life cycle of one import: its statuses and transitions, its chunks,
// and the outcome of each of its rows. It depends on no database and no cloud service.
package job

import (
	"encoding/json"
	"time"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Job is an import as stored in the database.
type Job struct {
	Key            Key
	ID             ID
	OrganisationID tenant.ID
	ImportType     string
	TypeVersion    int    // of a declared type; 0 for a compiled one
	ContextID      *int64 // context of the rows, such as a period or an event; nil if the type needs none
	Status         Status
	// Waiting reports that the job waits for a person or has ended. A job that is CELL_MAPPING
	// and not Waiting still has its values looked up.
	Waiting bool
	Mode    rowwrite.Mode
	// AutoStart makes the import one-shot: matched columns are confirmed, unmatched ones
	// ignored, and rows with unresolved values become ERROR.
	AutoStart bool
	// Review selects when a person is asked about columns.
	Review Review
	// WholeFile reports that the file is processed as a whole.
	WholeFile bool
	// SkipMapping makes the import of a whole file skip both mapping phases: nobody is asked,
	// and no earlier decisions are applied.
	SkipMapping bool
	// CellsSkipped is set by "start": rows with unresolved values become ERROR.
	CellsSkipped bool
	DryRun       bool
	Plan         *Plan // nil if the rows are written immediately

	Filename    string // as given by the caller: a label, never a path
	ContentType string
	ObjectKey   string
	ObjectETag  string // of the imported version; "" until the file has arrived or been analysed
	SizeBytes   int64
	SHA256      string // of the file, hex; "" until known
	Options     json.RawMessage
	Dialect     json.RawMessage // sheet.Dialect, once analysed
	// RowRetry reports that the job has no file of its own: it reads rows through the ledger of
	// RetryOf, with the corrections applied.
	RowRetry       bool
	FixedRows      int64   // rows in error that retries have since written or skipped
	Retries        []Retry // latest imports of its failed rows, newest first; empty in lists
	MachineVersion int     // version of the state machine that its execution runs: see Ref
	Reanalyses     int     // how often its file was to be analysed again
	// PreviousOptions are the options before the reanalysis in progress.
	PreviousOptions json.RawMessage
	// BytesRead is the number of bytes read by the analysis, and then by the splitting.
	BytesRead    int64
	RequestID    string       // of the request that created the job; in every log line about it
	RetryOf      ID           // original job if this one retries its failed rows
	Undo         *Undo        // nil unless the job undoes another one
	Undone       *RevertedBy  // nil unless another job has undone this one
	Label        string       // the caller's own name for it
	Uploader     string       // creator as named by the token; "drop" in the drop folder; "" if unknown
	MaxErrors    ErrorLimit   // limit of errors after which it stops
	Notify       []string     // mail addresses to notify when it waits or has ended
	BatchNumber  string       // if the type's uploads are numbered; else ""
	Profile      *UsedProfile // nil if no profile is used
	Progress     Progress
	Failure      *Failure
	CreatedAt    time.Time
	UpdatedAt    time.Time
	StartedAt    *time.Time // when it first became PROCESSING
	CompletedAt  *time.Time // when it became terminal
	UploadedAt   *time.Time // when its object was stored
	UndoDays     int        // days after its end during which it can be undone; 0: its changes are not stored
	UndoUntil    *time.Time // end of the undo period; nil before the job's end, and if it cannot be undone
	UndoOpen     bool       // whether UndoUntil is still ahead, by the database clock
	FilesDue     bool       // the next purge deletes the files: no new ones may be created from them
	ResultJSON   json.RawMessage
	WarningCodes []string

	// StatedOptions are those of the request and its profile; OptionDefaults those of the
	// organisation when the job was created.
	StatedOptions, OptionDefaults StoredOptions
}

// EffectiveOptions returns the options that apply: the stated ones, completed by the defaults.
func (j *Job) EffectiveOptions() StoredOptions { return j.StatedOptions.Over(j.OptionDefaults) }

// AsksForValues reports whether a person is asked about unresolved values: not in a one-shot
// import, and not once the mapping of values was skipped.
func (j *Job) AsksForValues() bool { return !j.AutoStart && !j.CellsSkipped }

// Progress is the progress of a job. Rows are data rows only.
type Progress struct {
	TotalRows       int64 // 0 until the file is analysed; exact once it is split
	Counts          Counts
	FileLines       int64 // all lines, once the file is split
	BlankLines      int64
	HeaderLines     int64
	ChunkTotal      int
	ChunksDone      int
	SplitComplete   bool
	CallbackPending bool // the last chunk is committed, but the task of AwaitRows is not completed yet
}

// Failure is the reason why a job ended as FAILED or CANCELLED.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// RowsDone reports whether every chunk has been committed.
func (p Progress) RowsDone() bool { return p.SplitComplete && p.ChunksDone == p.ChunkTotal }

// Percent is the progress in whole per cent; 100 only when all rows are done.
func (p Progress) Percent() int {
	if p.TotalRows <= 0 {
		if p.SplitComplete {
			return 100
		}
		return 0
	}
	return int(min(p.Counts.Processed()*100/p.TotalRows, 100))
}

// AccountedLines is the number of lines with a known outcome: success + skipped + error +
// blank + header.
func (p Progress) AccountedLines() int64 { return p.Counts.Processed() + p.BlankLines + p.HeaderLines }

// Reconciles reports whether every line of the file is accounted for exactly once.
func (p Progress) Reconciles() bool { return p.FileLines == p.AccountedLines() }

// Unprocessed is the number of rows without an outcome, except deferred ones. It is an
// estimate until the file is split.
func (p Progress) Unprocessed() int64 {
	return max(p.TotalRows-p.Counts.Processed()-p.Counts.Deferred, 0)
}

// IfComplete returns n for a completed job, and otherwise nil: totals of the whole file would
// not be the sum of its rows' figures if the file was not imported to its end.
func (j *Job) IfComplete(n int64) *int64 {
	if j.Status != Completed {
		return nil
	}
	return &n
}

// OpenErrors is the number of rows in error that are not fixed.
func (j *Job) OpenErrors() int64 { return j.Progress.Counts.Errored - j.FixedRows }

// Phase is a state in which an execution waits for a task to be completed.
type Phase string

// The phases, by their names in import.asl.json.
const (
	PhaseColumns  Phase = "COLUMN_MAPPING"
	PhaseCells    Phase = "CELL_MAPPING"
	PhaseRows     Phase = "ROWS"
	PhaseApproval Phase = "APPROVAL"
)

// Phases returns all phases.
func Phases() []Phase { return []Phase{PhaseColumns, PhaseCells, PhaseRows, PhaseApproval} }

// Ref is the only data that is passed through the state machine and the queue.
type Ref struct {
	JobID          ID        `json:"jobId"`
	OrganisationID tenant.ID `json:"organisationId"`
	// MachineVersion is the version of the state machine that an execution runs, set where it
	// matters; else 0. Executions keep the version with which they were started.
	MachineVersion int `json:"machine,omitempty"`
}

// ReanalyzeMachineVersion is the first version of the state machine with executions that can
// return from a person's decisions to the analysis of the file.
const ReanalyzeMachineVersion = 2

// SlotMachineVersion is the first version of the state machine that waits if the organisation has no
// slot for reading a file.
const SlotMachineVersion = 3

// MaxReanalyses limits how often a file is analysed again, as the history of an execution is
// limited.
const MaxReanalyses = 200

// Valid reports whether its ids are well-formed.
func (r Ref) Valid() bool { return isUUID(r.JobID) && r.OrganisationID.Valid() }

// ChunkRef is a message of the rows queue: a reference, never rows.
type ChunkRef struct {
	Ref
	Chunk int `json:"chunk"`
}

// DeclaredType is the metric dimension importType of all declared types: their names are chosen by
// organisations, and each value of a dimension costs money.
const DeclaredType = "DECLARED"

// TypeDimension returns the metric dimension importType of the job.
func (j *Job) TypeDimension() string {
	if j.TypeVersion > 0 {
		return DeclaredType
	}
	return j.ImportType
}
