package submit

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
)

// Objects stores files.
type Objects interface {
	// PutIfAbsent stores an object unless the key exists.
	PutIfAbsent(ctx context.Context, key, contentType string, body []byte) error
	// Head returns the metadata of an object; UPLOAD_MISSING if it does not exist.
	Head(ctx context.Context, key string) (object.Info, error)
	// PresignPut returns an upload address that accepts only an object of exactly that size and,
	// if given, of that SHA-256 in base64.
	PresignPut(ctx context.Context, key, contentType string, size int64, sha256 string, lifetime time.Duration) (object.Upload, error)
	// StartMultipart starts a multipart upload.
	StartMultipart(ctx context.Context, key, contentType string) (uploadID string, err error)
	// PresignParts returns the upload addresses of parts of the given sizes.
	PresignParts(ctx context.Context, key, uploadID string, sizes []int64, lifetime time.Duration) (object.Parts, error)
	// UploadedParts returns the parts that have arrived; UPLOAD_MISSING if the upload does not
	// exist.
	UploadedParts(ctx context.Context, key, uploadID string) ([]object.Part, error)
	// CompleteMultipart combines the parts into an object of that size; UPLOAD_MISSING if parts
	// are missing.
	CompleteMultipart(ctx context.Context, key, uploadID string, size int64) error
}

// minPartBytes is the smallest part that S3 accepts, except for the last one.
const minPartBytes = 5 << 20

// Upload describes where to send a file without credentials: in one piece or, if it is
// large, in parts. One of the two is nil.
type Upload struct {
	Whole *object.Upload
	Parts *object.Parts
}

// newUpload returns the upload of a job's file.
func (s *Service) newUpload(ctx context.Context, j *job.Job) (*Upload, error) {
	if j.SizeBytes > s.limits.MultipartAbove {
		parts, _, err := s.multipartUpload(ctx, j)
		if err != nil {
			return nil, fmt.Errorf("sign upload URLs of job %s: %w", j.ID, err)
		}
		return &Upload{Parts: parts}, nil
	}
	sum, err := hex.DecodeString(j.SHA256)
	if err != nil {
		return nil, fmt.Errorf("decode checksum of job %s: %w", j.ID, err)
	}
	whole, err := s.objects.PresignPut(ctx, j.ObjectKey, j.ContentType, j.SizeBytes, base64.StdEncoding.EncodeToString(sum), s.limits.UploadLifetime)
	if err != nil {
		return nil, fmt.Errorf("sign upload URL of job %s: %w", j.ID, err)
	}
	return &Upload{Whole: &whole}, nil
}

// PartBytes is the size of all parts of a file except the last.
func (s *Service) PartBytes() int64 { return s.limits.PartBytes }

func (s *Service) partSizes(size int64) []int64 {
	var sizes []int64
	for ; size > 0; size -= s.limits.PartBytes {
		sizes = append(sizes, min(size, s.limits.PartBytes))
	}
	return sizes
}

// CompleteUpload combines the parts of a file and starts the import. It may be repeated.
func (s *Service) CompleteUpload(ctx context.Context, ref job.Ref, uploadID string) (*job.Job, error) {
	j, err := s.readBody(ctx, ref)
	if err != nil {
		return nil, err
	}
	if j.Status.Terminal() {
		return nil, problem.New(problem.StateConflict,
			"The upload can no longer be completed: this import %s.", j.Status.Clause())
	}
	if j.UploadedAt != nil {
		return j, nil
	}
	if err := s.objects.CompleteMultipart(ctx, j.ObjectKey, uploadID, j.SizeBytes); err != nil {
		return nil, err
	}
	// The object's event would do the same later.
	if err := s.HandleUploaded(ctx, ref); err != nil {
		return nil, err
	}
	return s.readBody(ctx, ref)
}

func (s *Service) readBody(ctx context.Context, ref job.Ref) (j *job.Job, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err = s.store.Job(ctx, tx, ref.JobID)
		return err
	})
	return j, err
}
