package httpapi

import (
	"encoding/json"
	"math"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/translation"
)

// importJob is the JSON form of a job in /api: ImportJob in openapi.yaml.
type importJob struct {
	Identifier  job.ID          `json:"identifier"`
	ImportType  string          `json:"importType"`
	ContextID   *int64          `json:"contextId"`
	Status      job.Status      `json:"status"`
	Phase       job.Activity    `json:"phase"`
	WaitingFor  *string         `json:"waitingFor"` // job.WaitReason
	Mode        rowwrite.Mode   `json:"mode"`
	AutoStart   bool            `json:"autoStart"`
	SkipMapping bool            `json:"skipMappingPhases"`
	Review      job.Review      `json:"review"`
	DryRun      bool            `json:"dryRun"`
	Plan        *importPlan     `json:"plan"` // null if the rows are written without a plan
	Label       *string         `json:"label"`
	Uploader    *string         `json:"uploader"`
	MaxErrors   *job.ErrorLimit `json:"maxErrors"`
	Notify      []string        `json:"notify"`
	job.StoredOptions
	OriginalFilename string          `json:"originalFilename"`
	ContentType      string          `json:"contentType"`
	SizeBytes        int64           `json:"sizeBytes"`
	SHA256           *string         `json:"sha256"`
	Options          json.RawMessage `json:"options"`
	Detected         json.RawMessage `json:"detected"` // sheet.Dialect: the detected format of the file, null until analysed
	TotalRows        int64           `json:"totalRows"`
	ProcessedRows    int64           `json:"processedRows"`
	CreatedCount     int64           `json:"createdCount"`
	UpdatedCount     int64           `json:"updatedCount"`
	SuccessCount     int64           `json:"successCount"` // created and updated
	UnchangedCount   int64           `json:"unchangedCount"`
	SkippedCount     int64           `json:"skippedCount"`
	ErrorCount       int64           `json:"errorCount"`
	DeferredCount    int64           `json:"deferredCount"`
	FileLines        *int64          `json:"fileLines"` // = success + skipped + error + blank + header; these three null unless complete
	BlankLines       *int64          `json:"blankLines"`
	HeaderRows       *int64          `json:"headerRows"`
	ProgressPercent  int             `json:"progressPercent"`
	RowsPerSecond    *float64        `json:"rowsPerSecond"` // this and the next: null unless rows are being written and their number is known
	ETASeconds       *int64          `json:"etaSeconds"`
	BytesRead        *int64          `json:"bytesRead"` // this and the next: while the file is analysed or split
	BytesTotal       *int64          `json:"bytesTotal"`
	IssueCount       *int64          `json:"issueCount"` // of results; null until they are complete
	NumberChanges    *int64          `json:"numberChangeCount"`
	Warnings         []string        `json:"warnings"`
	WarningTexts     []string        `json:"warningTexts"` // the warnings as sentences
	RetryOf          *job.ID         `json:"retryOf"`
	UndoOf           *job.ID         `json:"undoOf"`      // the reverted job; this and the next are null unless the job is an undo
	UndoMode         *string         `json:"undoMode"`    // undo.Mode
	UndoRetries      *undoRetries    `json:"undoRetries"` // nil in lists unless the undo reverts them
	undoState
	Profile     *usedProfile  `json:"profile"` // null if the file is read without a profile
	BatchID     *string       `json:"batchId"` // for types with numbered uploads, except dry runs
	CreatedAt   time.Time     `json:"createdAt"`
	UploadedAt  *time.Time    `json:"uploadedAt"`
	StartedAt   *time.Time    `json:"startedAt"`
	CompletedAt *time.Time    `json:"completedAt"`
	UndoUntil   *time.Time    `json:"undoUntil"`
	Undoable    bool          `json:"undoable"`
	NotUndoable *string       `json:"notUndoable"` // job.NotUndoable
	Failure     *job.Failure  `json:"failure"`
	OpenErrors  int64         `json:"openErrors"` // rows in error that are not fixed
	Retries     []importRetry `json:"retries"`    // newest first, at most 100; none in lists

	Upload         any             `json:"upload,omitempty"` // *upload or *partsUpload
	ColumnMappings []columnMapping `json:"columnMappings,omitzero"`
	FreeFields     []typeField     `json:"freeFields,omitzero"`
	ProfileOffers  []profileOffer  `json:"profileOffers,omitzero"` // profiles that match the file partly
	CellMappings   []cellMapping   `json:"cellMappings,omitzero"`

	// There are more columns than the first ones; their own list is paged.
	MoreColumnMappings bool `json:"moreColumnMappings,omitempty"`
	MoreCellMappings   bool `json:"moreCellMappings,omitempty"`

	WaitingForDatabaseSince *time.Time `json:"waitingForDatabaseSince,omitempty"` // set by GET of one import only
}

func toImportJob(l translation.Language, j *job.Job) importJob {
	p, c := j.Progress, j.Progress.Counts
	document := importJob{
		Identifier: j.ID, ImportType: j.ImportType, ContextID: j.ContextID, Status: j.Status, Phase: j.Activity(), WaitingFor: nilIfZero(string(j.WaitingFor())), Mode: j.Mode,
		AutoStart: j.AutoStart, SkipMapping: j.SkipMapping, Review: j.Review, DryRun: j.DryRun, Plan: toImportPlan(j.Plan), Label: nilIfZero(j.Label), Uploader: nilIfZero(j.Uploader), MaxErrors: nilIfZero(j.MaxErrors), Notify: sliceOrEmpty(j.Notify), StoredOptions: j.EffectiveOptions(),
		OriginalFilename: j.Filename, ContentType: j.ContentType, SizeBytes: j.SizeBytes, SHA256: nilIfZero(j.SHA256), Options: j.Options, Detected: j.Dialect,
		TotalRows: p.TotalRows, ProcessedRows: c.Processed(), CreatedCount: c.Created, UpdatedCount: c.Updated, UnchangedCount: c.Unchanged, SuccessCount: c.Success(),
		SkippedCount: c.Skipped, ErrorCount: c.Errored, DeferredCount: c.Deferred,
		FileLines: j.IfComplete(p.FileLines), BlankLines: j.IfComplete(p.BlankLines), HeaderRows: j.IfComplete(p.HeaderLines), ProgressPercent: progressPercent(j),
		Warnings: sliceOrEmpty(j.WarningCodes), WarningTexts: warningTexts(l, j.WarningCodes), RetryOf: nilIfZero(j.RetryOf), UndoOf: undoneJobID(j), UndoMode: undoMode(j), UndoRetries: toUndoRetries(includedRetries(j), true), undoState: toUndoState(j.Undone), Profile: toUsedProfile(j.Profile), BatchID: nilIfZero(j.BatchNumber),
		CreatedAt: j.CreatedAt.UTC(), UploadedAt: utcOrNil(j.UploadedAt), StartedAt: utcOrNil(j.StartedAt), CompletedAt: utcOrNil(j.CompletedAt),
		Failure: failureIn(l, j.Failure), OpenErrors: j.OpenErrors(), Retries: toImportRetries(j.Retries),
	}
	why := j.WhyNotUndoable()
	document.UndoUntil, document.Undoable, document.NotUndoable = utcOrNil(j.UndoUntil), why == "", nilIfZero(string(why))
	own := countersOf(j)
	document.IssueCount, document.NumberChanges = own.issues, own.numberChanges
	if pace, left, known := j.Throughput(); known {
		document.RowsPerSecond, document.ETASeconds = new(math.Round(pace*10)/10), new(int64(math.Ceil(left.Seconds())))
	}
	if doing := j.Activity(); doing == job.Analysing || doing == job.Splitting {
		document.BytesRead, document.BytesTotal = new(j.BytesRead), new(j.SizeBytes)
	}
	return document
}

// progressPercent returns 100 for every completed job, including a job without rows.
func progressPercent(j *job.Job) int {
	if j.Status == job.Completed {
		return 100
	}
	return j.Progress.Percent()
}

func nilIfZero[T ~string](s T) *T {
	if s == "" {
		return nil
	}
	return &s
}

func sliceOrEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func utcOrNil(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}
