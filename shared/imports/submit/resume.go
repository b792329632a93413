package submit

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
)

// PartUploads stores the multipart upload of a job's file.
type PartUploads interface {
	UploadID(ctx context.Context, tx pgx.Tx, j *job.Job) (string, error)
	SaveUploadID(ctx context.Context, tx pgx.Tx, j *job.Job, old, begun string) (string, error)
	SourceURL(ctx context.Context, tx pgx.Tx, j *job.Job) (string, error)
	// AddContributor records that a person determined what the job writes.
	AddContributor(ctx context.Context, tx pgx.Tx, key job.Key, by string) error
}

// PendingUpload is an upload that is not complete.
type PendingUpload struct {
	Job    *job.Job
	Upload *Upload
	// Sent are the parts that have arrived completely; none for a file sent in one piece.
	Sent []object.Part
}

// PendingUpload returns how to resume an interrupted upload. by is the person who asks and can
// then send the bytes, or "" if unknown. It returns STATE_CONFLICT if the
// job no longer awaits its file.
func (s *Service) PendingUpload(ctx context.Context, ref job.Ref, by string) (*PendingUpload, error) {
	j, fetched, err := s.loadAwaiting(ctx, ref)
	switch {
	case err != nil:
		return nil, err
	case j.Status.Terminal():
		return nil, problem.New(problem.StateConflict,
			"The upload can no longer be resumed: this import %s.", j.Status.Clause())
	case j.UploadedAt != nil:
		return nil, problem.New(problem.StateConflict, "The file of this import was already uploaded.")
	case fetched:
		return nil, problem.New(problem.StateConflict,
			"The file of this import is fetched from a URL and cannot be uploaded.")
	}
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error { return s.store.AddContributor(ctx, tx, j.Key, by) })
	switch {
	case err != nil:
		return nil, err
	case j.SizeBytes <= s.limits.MultipartAbove:
		whole, err := s.newUpload(ctx, j)
		return &PendingUpload{Job: j, Upload: whole}, err
	}
	parts, sent, err := s.multipartUpload(ctx, j)
	return &PendingUpload{Job: j, Upload: &Upload{Parts: parts}, Sent: sent}, err
}

// loadAwaiting returns a job, and whether its file is fetched from a URL.
func (s *Service) loadAwaiting(ctx context.Context, ref job.Ref) (j *job.Job, fetched bool, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		if j, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		_, err = s.store.SourceURL(ctx, tx, j)
		fetched = err == nil
		if problem.CodeOf(err) == problem.NotFound {
			return nil
		}
		return err
	})
	return j, fetched, err
}

// multipartUpload returns the addresses of the parts of a job's file, and the parts that
// have arrived. It uses the upload in progress or, if none exists, starts a new one.
func (s *Service) multipartUpload(ctx context.Context, j *job.Job) (*object.Parts, []object.Part, error) {
	id, err := s.uploadID(ctx, j)
	if err != nil {
		return nil, nil, err
	}
	var sent []object.Part
	if id != "" {
		sent, err = s.objects.UploadedParts(ctx, j.ObjectKey, id)
	}
	if id == "" || problem.CodeOf(err) == problem.UploadMissing {
		id, err = s.beginMultipart(ctx, j, id)
	}
	if err != nil {
		return nil, nil, err
	}
	sizes := s.partSizes(j.SizeBytes)
	parts, err := s.objects.PresignParts(ctx, j.ObjectKey, id, sizes, s.limits.UploadLifetime)
	return &parts, completeParts(sent, sizes), err
}

// completeParts returns the parts that have the expected size: others have to be sent again.
func completeParts(sent []object.Part, sizes []int64) []object.Part {
	var kept []object.Part
	for _, p := range sent {
		if p.Number >= 1 && p.Number <= len(sizes) && sizes[p.Number-1] == p.Size {
			kept = append(kept, p)
		}
	}
	return kept
}

func (s *Service) uploadID(ctx context.Context, j *job.Job) (id string, err error) {
	err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		id, err = s.store.UploadID(ctx, tx, j)
		return err
	})
	return id, err
}

// beginMultipart starts an upload that replaces old. If two requests do so at once, one wins
// and both return its upload.
func (s *Service) beginMultipart(ctx context.Context, j *job.Job, old string) (id string, err error) {
	begun, err := s.objects.StartMultipart(ctx, j.ObjectKey, j.ContentType)
	if err != nil {
		return "", err
	}
	err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		id, err = s.store.SaveUploadID(ctx, tx, j, old, begun)
		return err
	})
	return id, err
}
