package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// Drops is the bucket with the drop folder.
type Drops interface {
	// Head and Copy return UPLOAD_MISSING if the object does not exist.
	Head(ctx context.Context, key string) (object.Info, error)
	Copy(ctx context.Context, from object.Version, to string) error
	Delete(ctx context.Context, key string) error
}

// quarantineRoutes lists the operations on quarantined files of the drop folder.
func (a *api) quarantineRoutes() []route {
	const list = "/api/drop/quarantine"
	return []route{
		{"GET", list, scopeImportsRead, a.listQuarantined},
		{"DELETE", list + "/{fileId}", scopeImportsWrite, withoutQuery(a.deleteQuarantined)},
		{"POST", list + "/{fileId}/retry", scopeImportsWrite, withoutQuery(a.retryQuarantined)},
	}
}

// quarantinedDocument is a quarantined file.
type quarantinedDocument struct {
	ID            job.ID          `json:"id"`
	Filename      string          `json:"filename"`
	ObjectKey     string          `json:"objectKey"`
	KeptKey       string          `json:"keptKey"`
	SizeBytes     int64           `json:"sizeBytes"`
	Code          string          `json:"code"`
	Message       string          `json:"message"`
	Errors        json.RawMessage `json:"errors"`
	QuarantinedAt time.Time       `json:"quarantinedAt"`
}

// listQuarantined is GET /api/drop/quarantine, newest first.
func (a *api) listQuarantined(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(jobsPage, maxJobsPage)
	v.rejectUnknown(pageParams()...)
	if err := v.err(); err != nil {
		return err
	}
	var found []job.Quarantined
	var total int64
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, total, err = a.DB.Quarantined(ctx, tx, p.list())
		return err
	})
	if err != nil {
		return err
	}
	documents, l := make([]quarantinedDocument, len(found)), languageOf(r)
	for i, q := range found {
		documents[i] = quarantinedDocument{
			ID: q.ID, Filename: path.Base(q.ObjectKey), ObjectKey: q.ObjectKey, KeptKey: q.QuarantineKey, SizeBytes: q.SizeBytes,
			Code: q.Code, Message: l.Text(q.Message), Errors: q.Errors, QuarantinedAt: q.QuarantinedAt.UTC(),
		}
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.QuarantineCursor(&found[i]) }, total)
}

// deleteQuarantined is DELETE /api/drop/quarantine/{fileId}: it deletes the file and its reason.
func (a *api) deleteQuarantined(w http.ResponseWriter, r *http.Request) error {
	if err := a.releaseQuarantined(r, func(context.Context, *job.Quarantined) error { return nil }); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// retryQuarantined is POST /api/drop/quarantine/{fileId}/retry: it moves the file to its original
// place, as if it had just been stored there.
func (a *api) retryQuarantined(w http.ResponseWriter, r *http.Request) error {
	err := a.releaseQuarantined(r, func(ctx context.Context, q *job.Quarantined) error {
		if q.QuarantineKey == q.ObjectKey {
			return problem.New(problem.StateConflict,
				"This file was too large for quarantine. Upload it to the drop folder again.")
		}
		switch _, err := a.Drops.Head(ctx, q.ObjectKey); {
		case err == nil:
			return problem.New(problem.StateConflict, "The drop folder already contains another file with this name. Upload this file under another name.")
		case problem.CodeOf(err) != problem.UploadMissing:
			return err
		}
		err := a.Drops.Copy(ctx, object.Version{Key: q.QuarantineKey}, q.ObjectKey)
		if problem.CodeOf(err) == problem.UploadMissing {
			return problem.New(problem.Gone, "This file has been deleted from quarantine.")
		}
		return err
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// releaseQuarantined removes a file from quarantine after do has succeeded. A concurrent request for
// the same file waits and then does not find it. A file that was too large to be quarantined must
// be deleted by its owner.
func (a *api) releaseQuarantined(r *http.Request, do func(context.Context, *job.Quarantined) error) error {
	return a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		q, err := a.DB.LockQuarantined(ctx, tx, jobID(r, "fileId"))
		if err != nil {
			return err
		}
		if err := do(ctx, q); err != nil {
			return err
		}
		keys := []string{q.QuarantineKey, q.QuarantineKey + ".reason.json"}
		if q.QuarantineKey == q.ObjectKey {
			keys = nil
		}
		for _, key := range keys {
			if err := a.Drops.Delete(ctx, key); err != nil {
				return err
			}
		}
		return a.DB.DeleteQuarantined(ctx, tx, q.ID)
	})
}
