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
	"github.com/loadbay/loadbay/shared/submit"
)

// claimSubject is the claim that names the caller.
const claimSubject = "sub"

// batches returns the routes of the types whose uploads are numbered.
func (a *api) batches() []route {
	var routes []route
	for _, t := range a.Types.Types() {
		of := t.Declaration()
		if of.Batches == nil {
			continue
		}
		path := of.Batches.Path
		routes = append(routes,
			route{"POST", path, scopeImportsWrite, a.uploadBatch(of)},
			route{"GET", path, scopeImportsRead, a.listBatches(of)},
			route{"GET", path + "/{batchId}", scopeImportsRead, a.getBatch(of)},
			route{"GET", path + "/{batchId}/rows", scopeImportsRead, a.listBatchRows(of)})
	}
	return routes
}

// uploadBatch returns the endpoint that takes a file and imports it without
// asking. A file that a batch has already is answered with that batch and 200:
// what the caller asks for has been done, or is being done.
func (a *api) uploadBatch(of *entity.Declaration) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		f, err := readForm(r)
		if err != nil {
			return err
		}
		fields := newValues(f.fields)
		fields.refuseOthers()
		if err := fields.err(); err != nil {
			return err
		}
		sum := sha256.Sum256(f.file.Body)
		f.file.SHA256 = hex.EncodeToString(sum[:])
		first := postgres.BatchFilter{ImportType: of.Name, SHA256: f.file.SHA256}
		if b, err := a.batch(r, first); problem.CodeOf(err) != problem.NotFound {
			return answerBatch(w, of, b, true, err)
		}
		accepted, err := a.acceptBatch(r, of, f.file)
		if problem.CodeOf(err) == problem.FileRepeated {
			b, err := a.batch(r, first)
			return answerBatch(w, of, b, true, err)
		}
		if err != nil {
			return err
		}
		b, err := a.batch(r, postgres.BatchFilter{ImportType: of.Name, JobID: accepted.Job.ID})
		return answerBatch(w, of, b, accepted.Repeated, err)
	}
}

func (a *api) acceptBatch(r *http.Request, of *entity.Declaration, file submit.File) (*submit.Accepted, error) {
	claims, _ := r.Context().Value(claimsKey{}).(map[string]string)
	return a.accept(r, "POST "+of.Batches.Path, of, creation{
		AutoStart: true, file: file, batch: &submit.Batch{Uploader: claims[claimSubject]},
	})
}

// answerBatch answers an upload with its batch.
func answerBatch(w http.ResponseWriter, of *entity.Declaration, b *job.Batch, repeated bool, err error) error {
	if err != nil {
		return err
	}
	w.Header().Set("Location", of.Batches.Path+"/"+b.Number)
	w.Header().Set("Retry-After", retryAfter)
	status := http.StatusAccepted
	if repeated {
		status = http.StatusOK
	}
	return writeJSON(w, status, toBatch(b))
}

func (a *api) batch(r *http.Request, f postgres.BatchFilter) (b *job.Batch, err error) {
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		b, err = a.DB.Batch(ctx, tx, f)
		return err
	})
	return b, err
}

// listBatches returns the endpoint that lists batches, newest first.
func (a *api) listBatches(of *entity.Declaration) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v := newValues(r.URL.Query())
		f := postgres.BatchFilter{ImportType: of.Name, Uploader: v.text("uploader")}
		p := v.page(jobsPage, maxJobsPage)
		v.refuseOthers("uploader", "page", "size")
		if err := v.err(); err != nil {
			return err
		}
		f.Offset, f.Limit = p.offset(), p.size
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
			documents[i] = toBatch(b)
		}
		p.describe(w, r, total)
		return writeJSON(w, http.StatusOK, documents)
	}
}

// getBatch returns the endpoint that tells where a batch stands.
func (a *api) getBatch(of *entity.Declaration) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		b, err := a.batch(r, byNumber(r, of))
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, toBatch(b))
	}
}

func byNumber(r *http.Request, of *entity.Declaration) postgres.BatchFilter {
	return postgres.BatchFilter{ImportType: of.Name, Number: r.PathValue("batchId")}
}
