package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/postgres"
)

// batchDocument is the JSON form of a batch.
type batchDocument struct {
	BatchID               string          `json:"batchId"`
	JobIdentifier         job.ID          `json:"jobIdentifier"`
	Uploader              string          `json:"uploader"`
	OriginalFilename      string          `json:"originalFilename"`
	FileChecksum          *string         `json:"fileChecksum"`
	UploadedAt            time.Time       `json:"uploadedAt"`
	ProcessingDurationMS  *int64          `json:"processingDurationMs"`
	TotalRows             *int64          `json:"totalRows"`
	CreatedCount          int64           `json:"createdCount"`
	FailedCount           int64           `json:"failedCount"`
	SkippedDuplicateCount int64           `json:"skippedDuplicateCount"`
	Status                job.BatchStatus `json:"status"`
	WaitingFor            *string         `json:"waitingFor"` // job.WaitReason
	Failure               *job.Failure    `json:"failure"`
	Warnings              []string        `json:"warnings"`
	WarningTexts          []string        `json:"warningTexts"`
	undoState
	UpdatedAt time.Time `json:"updatedAt"`
}

func toBatch(l translation.Language, b *job.Batch) batchDocument {
	return batchDocument{
		BatchID: b.Number, JobIdentifier: b.JobID, Uploader: b.Uploader, OriginalFilename: b.Filename, FileChecksum: nilIfZero(b.SHA256),
		UploadedAt: b.UploadedAt.UTC(), ProcessingDurationMS: b.DurationMS,
		TotalRows: b.TotalRows, CreatedCount: b.Created, FailedCount: b.Failed, SkippedDuplicateCount: b.SkippedDuplicate,
		Status: b.Status, WaitingFor: nilIfZero(string(b.WaitingFor)), Failure: failureIn(l, b.Failure), UpdatedAt: b.UpdatedAt.UTC(),
		Warnings: sliceOrEmpty(b.Warnings), WarningTexts: warningTexts(l, b.Warnings),
		undoState: toUndoState(b.Undone),
	}
}

// The statuses of a batch's rows, with their outcomes.
var batchRowStatuses = map[string]rowwrite.Outcome{
	"CREATED": rowwrite.Created, "FAILED_VALIDATION": rowwrite.Errored, "SKIPPED_DUPLICATE": rowwrite.Skipped,
}

// batchRow is the outcome of a row of a batch. rowIndex counts the rows below the header from 1,
// including blank ones, so that rowIndex + the header's row number is rowNumber, the number that
// a spreadsheet program shows.
type batchRow struct {
	RowIndex         int64          `json:"rowIndex"`
	RowNumber        int64          `json:"rowNumber"`
	Status           string         `json:"status"`
	IdempotencyKey   *string        `json:"idempotencyKey"`
	IdempotencyBasis *string        `json:"idempotencyBasis"`
	OrderID          *string        `json:"orderId"`
	DuplicateOf      *string        `json:"duplicateOf"`
	ErrorMessages    []errorMessage `json:"errorMessages"`
	Message          *string        `json:"message"`
}

// errorMessage is one error of a row, in the codes of the type's batches.
type errorMessage struct {
	Code    string `json:"code"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// listBatchRowsHandler returns the endpoint that lists the outcomes of a batch's rows.
func (a *api) listBatchRowsHandler(decl *entity.Declaration) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v := newValues(r.URL.Query())
		outcome, known := batchRowStatuses[v.text("status")]
		if v.text("status") != "" && !known {
			v.addError("status", "One of CREATED, FAILED_VALIDATION, SKIPPED_DUPLICATE.")
		}
		p := v.page(rowsPage, maxRowsPage)
		v.rejectUnknown(pageParams("status")...)
		if err := v.err(); err != nil {
			return err
		}
		var found batchPage
		err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
			found, err = a.loadBatchPage(ctx, tx, formatBatchID(r, decl), postgres.ResultFilter{Outcome: outcome, Page: p.list()})
			return err
		})
		if err != nil {
			return err
		}
		return writeList(w, r, http.StatusOK, p, found.documents(languageOf(r), decl), func(i int) []string { return postgres.ResultCursor(&found.results[i]) }, countOutcome(found.job.Progress.Counts, outcome))
	}
}

// batchPage is a page of a batch's rows with their notes.
type batchPage struct {
	batch   *job.Batch
	job     *job.Job
	results []job.RowResult
	rows    map[int64]job.BatchRow
}

func (a *api) loadBatchPage(ctx context.Context, tx pgx.Tx, decl postgres.BatchFilter, f postgres.ResultFilter) (p batchPage, err error) {
	if p.batch, err = a.DB.Batch(ctx, tx, decl); err != nil {
		return p, err
	}
	if p.job, err = a.DB.Job(ctx, tx, p.batch.JobID); err != nil {
		return p, err
	}
	if p.results, err = a.DB.Results(ctx, tx, p.job.Key, f); err != nil {
		return p, err
	}
	numbers := make([]int64, len(p.results))
	for i, r := range p.results {
		numbers[i] = r.Row
	}
	p.rows, err = a.DB.BatchRows(ctx, tx, p.job.Key, numbers)
	return p, err
}

func (p *batchPage) documents(l translation.Language, decl *entity.Declaration) []batchRow {
	documents := make([]batchRow, len(p.results))
	for i, r := range p.results {
		kept := p.rows[r.Row]
		if r.Outcome == rowwrite.Errored {
			kept = job.BatchRow{} // the notes belong to a plan that could not be written
		}
		documents[i] = batchRow{
			RowIndex: r.Row - p.batch.HeaderRow, RowNumber: r.Row, Status: batchRowStatus(r.Outcome),
			IdempotencyKey: nilIfZero(kept.Key), IdempotencyBasis: nilIfZero(kept.Basis),
			OrderID: nilIfZero(kept.EntityID), DuplicateOf: nilIfZero(kept.Duplicate), ErrorMessages: []errorMessage{},
		}
		if r.Outcome == rowwrite.Errored {
			documents[i].ErrorMessages = errorMessages(l, decl, r.Errors)
		} else {
			documents[i].Message = nilIfZero(joinErrors(l, rowErrorsIn(l, decl, r.Errors)))
		}
	}
	return documents
}

func batchRowStatus(o rowwrite.Outcome) string {
	for status, outcome := range batchRowStatuses {
		if outcome == o {
			return status
		}
	}
	return ""
}

// errorMessages converts errors into the codes of the type's batches.
func errorMessages(l translation.Language, decl *entity.Declaration, faults []rowwrite.Error) []errorMessage {
	messages := make([]errorMessage, len(faults))
	for i, f := range faults {
		var field *entity.Field
		if index := decl.FieldIndex(f.Field); index >= 0 {
			field = &decl.Fields[index]
		}
		translated := decl.BatchUploads.TranslateRowError(field, rowwrite.Error{Field: f.Field, Code: f.Code, Value: f.Value, Message: f.Message})
		messages[i] = errorMessage{Code: string(translated.Code), Field: translated.Field, Message: l.Text(translated.Message)}
	}
	return messages
}
