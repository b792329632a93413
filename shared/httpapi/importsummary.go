package httpapi

import (
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/translation"
)

// importSummary is a job in a list: ImportSummary in openapi.yaml. The detected properties of the
// file, the options and the warnings are only in GET /api/imports/{importId}.
type importSummary struct {
	Identifier       job.ID        `json:"identifier"`
	ImportType       string        `json:"importType"`
	ContextID        *int64        `json:"contextId"`
	Label            *string       `json:"label"`
	Uploader         *string       `json:"uploader"`
	Status           job.Status    `json:"status"`
	Phase            job.Activity  `json:"phase"`
	WaitingFor       *string       `json:"waitingFor"`
	Mode             rowwrite.Mode `json:"mode"`
	DryRun           bool          `json:"dryRun"`
	OriginalFilename string        `json:"originalFilename"`
	SizeBytes        int64         `json:"sizeBytes"`
	TotalRows        int64         `json:"totalRows"`
	ProcessedRows    int64         `json:"processedRows"`
	CreatedCount     int64         `json:"createdCount"`
	UpdatedCount     int64         `json:"updatedCount"`
	SuccessCount     int64         `json:"successCount"`
	UnchangedCount   int64         `json:"unchangedCount"`
	SkippedCount     int64         `json:"skippedCount"`
	ErrorCount       int64         `json:"errorCount"`
	OpenErrors       int64         `json:"openErrors"`
	DeferredCount    int64         `json:"deferredCount"`
	ProgressPercent  int           `json:"progressPercent"`
	RowsPerSecond    *float64      `json:"rowsPerSecond"`
	ETASeconds       *int64        `json:"etaSeconds"`
	RetryOf          *job.ID       `json:"retryOf"`
	UndoOf           *job.ID       `json:"undoOf"`
	undoState
	BatchID     *string      `json:"batchId"`
	CreatedAt   time.Time    `json:"createdAt"`
	UpdatedAt   time.Time    `json:"updatedAt"`
	CompletedAt *time.Time   `json:"completedAt"`
	Failure     *job.Failure `json:"failure"`
}

func toImportSummary(l translation.Language, j *job.Job) importSummary {
	full := toImportJob(l, j)
	return importSummary{
		Identifier: j.ID, ImportType: j.ImportType, ContextID: j.ContextID, Label: full.Label, Uploader: full.Uploader,
		Status: j.Status, Phase: full.Phase, WaitingFor: full.WaitingFor, Mode: j.Mode, DryRun: j.DryRun,
		OriginalFilename: j.Filename, SizeBytes: j.SizeBytes, TotalRows: full.TotalRows, ProcessedRows: full.ProcessedRows,
		CreatedCount: full.CreatedCount, UpdatedCount: full.UpdatedCount, UnchangedCount: full.UnchangedCount, SuccessCount: full.SuccessCount, SkippedCount: full.SkippedCount,
		ErrorCount: full.ErrorCount, OpenErrors: full.OpenErrors, DeferredCount: full.DeferredCount, ProgressPercent: full.ProgressPercent,
		RowsPerSecond: full.RowsPerSecond, ETASeconds: full.ETASeconds, RetryOf: full.RetryOf, UndoOf: full.UndoOf, undoState: full.undoState, BatchID: full.BatchID,
		CreatedAt: full.CreatedAt, UpdatedAt: j.UpdatedAt.UTC(), CompletedAt: full.CompletedAt, Failure: full.Failure,
	}
}
