// Package dropresult writes the outcome of a file of the drop folder to where its
// sender looks: under results/, in the same place as the file under drop/.
//
//	drop/1/USER/-/july.csv
//	results/1/USER/-/july.csv.errors.csv    what is wrong with each row in error
//	results/1/USER/-/july.csv.result.json   how the import ended; written last
//
// Where files come under one name again and again, these are about the last one. What
// they say of an earlier one is kept under the id of its import:
//
//	results/1/USER/-/july.csv.0193b2a4-….errors.csv
//	results/1/USER/-/july.csv.0193b2a4-….result.json
package dropresult

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Store reads jobs and what is wrong with their rows.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	FailedRows(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64, limit int) ([]job.RowResult, error)
	// ImportsOfSameObject finds the last import of the job's object before it that has ended, or
	// nil, and whether there is a later one.
	ImportsOfSameObject(ctx context.Context, tx pgx.Tx, j *job.Job) (before *job.Job, later bool, err error)
}

// Files writes objects.
type Files interface {
	Put(ctx context.Context, key, contentType string, body []byte) error
	Create(ctx context.Context, key, contentType string) object.Writer
}

// Writer writes results.
type Writer struct {
	store Store
	files Files
}

// New returns a writer.
func New(store Store, files Files) *Writer { return &Writer{store: store, files: files} }

const (
	dropPrefix    = "drop/"
	resultsPrefix = "results/"
)

// Keys are the objects of a result.
type Keys struct{ Result, Errors string }

// KeysFor are those for a file of the drop folder; false for any other object.
func KeysFor(objectKey string) (Keys, bool) {
	place, ok := strings.CutPrefix(objectKey, dropPrefix)
	if !ok || place == "" {
		return Keys{}, false
	}
	return keysForPath(place), true
}

// archivedKeys are those for a file after which another one of its name has come.
func archivedKeys(j *job.Job) Keys {
	return keysForPath(strings.TrimPrefix(j.ObjectKey, dropPrefix) + "." + string(j.ID))
}

func keysForPath(place string) Keys {
	return Keys{Result: resultsPrefix + place + ".result.json", Errors: resultsPrefix + place + ".errors.csv"}
}

// Write writes the result of a job that has ended and came from the drop
// folder; for any other, and for its reruns, it does nothing. Writing it again writes the same.
func (w *Writer) Write(ctx context.Context, ref job.Ref) error {
	var j, before *job.Job
	var later bool
	err := w.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = w.store.Job(ctx, tx, ref.JobID); err == nil {
			before, later, err = w.store.ImportsOfSameObject(ctx, tx, j)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("drop result: %w", err)
	}
	keys, ok := KeysFor(j.ObjectKey)
	if !ok || j.RowRetry || !j.Status.Terminal() {
		return nil
	}
	if later {
		return w.writeObjects(ctx, j, archivedKeys(j))
	}
	if before != nil { // whose result is where this one's goes
		if err := w.writeObjects(ctx, before, archivedKeys(before)); err != nil {
			return err
		}
	}
	return w.writeObjects(ctx, j, keys)
}

// writeObjects writes the objects of a result.
func (w *Writer) writeObjects(ctx context.Context, j *job.Job, keys Keys) error {
	if err := w.writeErrors(ctx, j, keys.Errors); err != nil {
		return fmt.Errorf("drop result of job %s: %w", j.ID, err)
	}
	body, err := json.MarshalIndent(newDocument(j, keys), "", "  ")
	if err != nil {
		return fmt.Errorf("drop result of job %s: %w", j.ID, err)
	}
	if err := w.files.Put(ctx, keys.Result, "application/json", append(body, '\n')); err != nil {
		return fmt.Errorf("drop result of job %s: %w", j.ID, err)
	}
	return nil
}

// document is how an import ended, in the words of /api.
type document struct {
	Identifier       job.ID          `json:"identifier"`
	ImportType       string          `json:"importType"`
	ContextID        *int64          `json:"contextId"`
	Status           job.Status      `json:"status"`
	OriginalFilename string          `json:"originalFilename"`
	ObjectKey        string          `json:"objectKey"`
	DryRun           bool            `json:"dryRun"`
	TotalRows        *int64          `json:"totalRows"` // the sum of the next five; null unless complete
	CreatedCount     int64           `json:"createdCount"`
	UpdatedCount     int64           `json:"updatedCount"`
	UnchangedCount   int64           `json:"unchangedCount"`
	SkippedCount     int64           `json:"skippedCount"`
	ErrorCount       int64           `json:"errorCount"`
	ErrorsKey        string          `json:"errorsKey"`
	Warnings         []string        `json:"warnings"`
	Failure          *job.Failure    `json:"failure"`
	CreatedAt        time.Time       `json:"createdAt"`
	CompletedAt      *time.Time      `json:"completedAt"`
	Result           json.RawMessage `json:"result,omitempty"` // the type's own
}

func newDocument(j *job.Job, keys Keys) document {
	c := j.Progress.Counts
	d := document{
		Identifier: j.ID, ImportType: j.ImportType, ContextID: j.ContextID, Status: j.Status,
		OriginalFilename: j.Filename, ObjectKey: j.ObjectKey, DryRun: j.DryRun, TotalRows: j.IfComplete(j.Progress.TotalRows),
		CreatedCount: c.Created, UpdatedCount: c.Updated, UnchangedCount: c.Unchanged, SkippedCount: c.Skipped, ErrorCount: c.Errored,
		ErrorsKey: keys.Errors, Warnings: j.WarningCodes, Failure: j.Failure, CreatedAt: j.CreatedAt.UTC(), Result: j.ResultJSON,
	}
	if d.Warnings == nil {
		d.Warnings = []string{}
	}
	if j.CompletedAt != nil {
		completed := j.CompletedAt.UTC()
		d.CompletedAt = &completed
	}
	return d
}
