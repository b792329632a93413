// Package dropresult writes the outcome of a file of the drop folder to the place where its
// sender expects it: under results/, at the same path as the file under drop/.
//
//	drop/1/USER/-/july.csv
//	results/1/USER/-/july.csv.errors.csv    the errors of each row in error
//	results/1/USER/-/july.csv.result.json   how the import ended; written last
//
// If several files have the same name, these are about the last one. The results of an
// earlier one are moved to names with the id of its import:
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
	"github.com/loadbay/loadbay/shared/problem"
)

// Store loads jobs and the errors of their rows.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	FailedRows(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64, limit int) ([]job.RowResult, error)
	// ImportsOfSameObject finds the last ended import of the job's object before it, or nil,
	// and whether there is a later one.
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

// Keys are the keys of a result's objects.
type Keys struct{ Result, Errors string }

// KeysFor returns the keys for a file of the drop folder; false for any other object.
func KeysFor(objectKey string) (Keys, bool) {
	place, ok := strings.CutPrefix(objectKey, dropPrefix)
	if !ok || place == "" {
		return Keys{}, false
	}
	return keysForPath(place), true
}

// archivedKeys returns the keys for a file that was followed by another with its name.
func archivedKeys(j *job.Job) Keys {
	return keysForPath(strings.TrimPrefix(j.ObjectKey, dropPrefix) + "." + string(j.ID))
}

func keysForPath(place string) Keys {
	return Keys{Result: resultsPrefix + place + ".result.json", Errors: resultsPrefix + place + ".errors.csv"}
}

// Write writes the result of an ended job of the drop folder, or, for an undo, the result of the
// job that was undone. It does nothing for any other job, nor for retries. Repeated calls write the
// same.
func (w *Writer) Write(ctx context.Context, ref job.Ref) error {
	var j, before *job.Job
	var later bool
	err := w.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = w.loadSubject(ctx, tx, ref.JobID); err == nil {
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
	if before != nil { // its result is at this one's keys
		if err := w.writeObjects(ctx, before, archivedKeys(before)); err != nil {
			return err
		}
	}
	return w.writeObjects(ctx, j, keys)
}

// loadSubject returns the job with that id or, if it is an undo, the job that was undone first: an
// undo can be undone in turn. If that job has been purged, so has its result.
func (w *Writer) loadSubject(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error) {
	j, err := w.store.Job(ctx, tx, id)
	for err == nil && j.Undo != nil && !j.DryRun {
		of, err := w.store.Job(ctx, tx, j.Undo.Of)
		if problem.CodeOf(err) == problem.NotFound {
			return j, nil
		}
		if err != nil {
			return nil, err
		}
		j = of
	}
	return j, err
}

// writeObjects writes the objects of a result.
func (w *Writer) writeObjects(ctx context.Context, j *job.Job, keys Keys) error {
	if err := w.writeErrors(ctx, j, keys.Errors); err != nil {
		return fmt.Errorf("store drop result of job %s: %w", j.ID, err)
	}
	body, err := json.MarshalIndent(newDocument(j, keys), "", "  ")
	if err != nil {
		return fmt.Errorf("store drop result of job %s: %w", j.ID, err)
	}
	if err := w.files.Put(ctx, keys.Result, "application/json", append(body, '\n')); err != nil {
		return fmt.Errorf("store drop result of job %s: %w", j.ID, err)
	}
	return nil
}

// document describes how an import ended, in the terms of /api.
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
	Undone           bool            `json:"undone"` // wholly or in part
	UndoneBy         *job.RevertedBy `json:"undoneBy"`
	Failure          *job.Failure    `json:"failure"`
	CreatedAt        time.Time       `json:"createdAt"`
	CompletedAt      *time.Time      `json:"completedAt"`
	Result           json.RawMessage `json:"result,omitempty"` // specific to the type
}

func newDocument(j *job.Job, keys Keys) document {
	c := j.Progress.Counts
	d := document{
		Identifier: j.ID, ImportType: j.ImportType, ContextID: j.ContextID, Status: j.Status,
		OriginalFilename: j.Filename, ObjectKey: j.ObjectKey, DryRun: j.DryRun, TotalRows: j.IfComplete(j.Progress.TotalRows),
		CreatedCount: c.Created, UpdatedCount: c.Updated, UnchangedCount: c.Unchanged, SkippedCount: c.Skipped, ErrorCount: c.Errored,
		ErrorsKey: keys.Errors, Warnings: j.WarningCodes, Undone: j.Undone != nil, UndoneBy: j.Undone, Failure: j.Failure, CreatedAt: j.CreatedAt.UTC(), Result: j.ResultJSON,
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
