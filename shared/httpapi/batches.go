package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// batchRoutes returns the routes of the types with numbered uploads.
func (a *api) batchRoutes() []route {
	var routes []route
	for _, t := range a.Types.Types() {
		decl := t.Declaration()
		if decl.BatchUploads == nil {
			continue
		}
		path := decl.BatchUploads.Path
		routes = append(routes,
			route{"POST", path, scopeImportsWrite, a.ifInstalled(decl, a.uploadBatchHandler(decl))},
			route{"GET", path, scopeImportsRead, a.ifInstalled(decl, a.listBatchesHandler(decl))},
			route{"GET", path + "/{batchId}", scopeImportsRead, a.ifInstalled(decl, withoutQuery(a.getBatchHandler(decl)))},
			route{"GET", path + "/{batchId}/rows", scopeImportsRead, a.ifInstalled(decl, a.listBatchRowsHandler(decl))})
	}
	return routes
}

// uploadBatchHandler returns the endpoint that accepts a file and imports it without a review,
// unless the review parameter requests one. For a file that a batch claims (see
// postgres.BatchFilter), the response is that batch with 200, or UNDO_RUNNING while it is being
// undone: its counts are about to be wrong.
func (a *api) uploadBatchHandler(decl *entity.Declaration) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		c, err := readBatch(r)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(c.file.Body)
		c.file.SHA256 = hex.EncodeToString(sum[:])
		first := postgres.BatchFilter{ImportType: decl.Name, SHA256: c.file.SHA256}
		if b, err := a.loadBatch(r, first); problem.CodeOf(err) != problem.NotFound {
			if err == nil && b.Undoing {
				return problem.New(problem.UndoRunning, "The batch %s with this file is being undone. Upload the file again when that undo has ended.", b.Number)
			}
			return writeBatch(w, r, decl, b, true, err)
		}
		accepted, err := a.accept(r, "POST "+decl.BatchUploads.Path, decl, *c)
		if problem.CodeOf(err) == problem.FileRepeated {
			b, err := a.loadBatch(r, first)
			return writeBatch(w, r, decl, b, true, err)
		}
		if err != nil {
			return err
		}
		setKeyExpiry(w, accepted.KeyExpiresAt)
		b, err := a.loadBatch(r, postgres.BatchFilter{ImportType: decl.Name, JobID: accepted.Job.ID})
		return writeBatch(w, r, decl, b, accepted.Repeated, err)
	}
}

// readBatch reads the query and the form of an upload.
func readBatch(r *http.Request) (*importRequest, error) {
	v := newValues(r.URL.Query())
	c := &importRequest{unattended: true, oncePerFile: true}
	options := v.fileOptions()
	v.rejectUnknown(append(v.uploadQuery(&c.ImportOptions, false), fileOptionNames()...)...)
	if err := v.err(); err != nil {
		return nil, err
	}
	return c, c.readFileForm(r, options)
}

// writeBatch responds to an upload with its batch.
func writeBatch(w http.ResponseWriter, r *http.Request, decl *entity.Declaration, b *job.Batch, repeated bool, err error) error {
	if err != nil {
		return err
	}
	w.Header().Set("Location", decl.BatchUploads.Path+"/"+b.Number)
	w.Header().Set("Retry-After", retryAfter)
	status := http.StatusAccepted
	if repeated {
		status = http.StatusOK
	}
	return writeJSON(w, status, toBatch(languageOf(r), b))
}

func (a *api) loadBatch(r *http.Request, f postgres.BatchFilter) (b *job.Batch, err error) {
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		b, err = a.DB.Batch(ctx, tx, f)
		return err
	})
	return b, err
}

// listBatchesHandler returns the endpoint that lists batches, newest first.
func (a *api) listBatchesHandler(decl *entity.Declaration) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v := newValues(r.URL.Query())
		f := postgres.BatchFilter{ImportType: decl.Name, Uploader: v.text("uploader")}
		if f.Status = job.BatchStatus(v.text("status")); f.Status != "" && !f.Status.Valid() {
			v.addError("status", "One of PROCESSING, COMPLETED, FAILED.")
		}
		f.Uploaded = v.period("uploadedFrom", "uploadedTo")
		p := v.page(jobsPage, maxJobsPage)
		v.rejectUnknown(pageParams("uploader", "status", "uploadedFrom", "uploadedTo")...)
		if err := v.err(); err != nil {
			return err
		}
		f.Page = p.list()
		var found []*job.Batch
		var total int64
		err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
			if found, err = a.DB.Batches(ctx, tx, f); err == nil {
				total, err = a.DB.CountBatches(ctx, tx, f)
			}
			return err
		})
		if err != nil {
			return err
		}
		documents := make([]batchDocument, len(found))
		for i, b := range found {
			documents[i] = toBatch(languageOf(r), b)
		}
		return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.BatchCursor(found[i]) }, total)
	}
}

// getBatchHandler returns the endpoint that returns the state of a batch.
func (a *api) getBatchHandler(decl *entity.Declaration) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		b, err := a.loadBatch(r, formatBatchID(r, decl))
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, toBatch(languageOf(r), b))
	}
}

func formatBatchID(r *http.Request, decl *entity.Declaration) postgres.BatchFilter {
	return postgres.BatchFilter{ImportType: decl.Name, Number: r.PathValue("batchId")}
}
