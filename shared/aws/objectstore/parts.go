package objectstore

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
)

// StartMultipart starts a multipart upload and returns its id. The bucket's lifecycle rule
// deletes uploads that are never completed.
func (s *Store) StartMultipart(ctx context.Context, key, contentType string) (string, error) {
	begun, err := s.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &s.bucket, Key: &key, ContentType: &contentType},
		// With an algorithm of the SDK's choice, S3 would require a checksum for every part.
		func(o *s3.Options) { o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired })
	if err != nil {
		return "", fmt.Errorf("start upload of %s: %w", key, err)
	}
	return aws.ToString(begun.UploadId), nil
}

// PresignParts returns the URLs for uploading parts of those sizes.
func (s *Store) PresignParts(ctx context.Context, key, uploadID string, sizes []int64, lifetime time.Duration) (object.Parts, error) {
	parts := object.Parts{UploadID: uploadID, URLs: make([]string, len(sizes)), Expires: time.Now().Add(lifetime)}
	for i, size := range sizes {
		signed, err := s.presign.PresignUploadPart(ctx, &s3.UploadPartInput{
			Bucket: &s.bucket, Key: &key, UploadId: &uploadID, PartNumber: aws.Int32(int32(i + 1)), ContentLength: &size,
		}, s3.WithPresignExpires(lifetime))
		if err != nil {
			return object.Parts{}, fmt.Errorf("presign part %d of %s: %w", i+1, key, err)
		}
		parts.URLs[i] = signed.URL
	}
	return parts, nil
}

// UploadedParts returns the uploaded parts of an upload. The error is UPLOAD_MISSING if
// the upload no longer exists.
func (s *Store) UploadedParts(ctx context.Context, key, uploadID string) ([]object.Part, error) {
	listed, err := s.listParts(ctx, key, uploadID)
	if errorCode(err) == "NoSuchUpload" {
		return nil, problem.New(problem.UploadMissing, "Upload not found.")
	}
	if err != nil {
		return nil, err
	}
	sent := make([]object.Part, len(listed))
	for i, p := range listed {
		sent[i] = object.Part{Number: int(aws.ToInt32(p.PartNumber)), Size: aws.ToInt64(p.Size)}
	}
	return sent, nil
}

// CompleteMultipart creates an object from the uploaded parts if their total size
// is size; otherwise the error is UPLOAD_MISSING. An already completed object is
// unchanged.
func (s *Store) CompleteMultipart(ctx context.Context, key, uploadID string, size int64) error {
	listed, err := s.listParts(ctx, key, uploadID)
	if errorCode(err) == "NoSuchUpload" {
		return s.findCompleted(ctx, key, size)
	}
	if err != nil {
		return err
	}
	sent, total := completedParts(listed)
	if total != size {
		return problem.New(problem.UploadMissing, "%d of %d bytes were uploaded. Upload the missing parts first.", total, size)
	}
	_, err = s.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &s.bucket, Key: &key, UploadId: &uploadID, MultipartUpload: &types.CompletedMultipartUpload{Parts: sent},
		IfNoneMatch: aws.String(anyVersion),
	})
	if c := errorCode(err); c == preconditionFailed || c == conditionConflict || c == "NoSuchUpload" {
		return s.findCompleted(ctx, key, size)
	}
	if err != nil {
		return fmt.Errorf("complete upload of %s: %w", key, err)
	}
	return nil
}

// findCompleted finds the object that another request has created or is creating.
func (s *Store) findCompleted(ctx context.Context, key string, size int64) error {
	stored, err := s.Size(ctx, key)
	if err == nil && stored != size {
		return problem.New(problem.UploadMissing, "Upload not found.")
	}
	return err
}

// completedParts returns the uploaded parts in the form for completing the upload, and their
// total size in bytes.
func completedParts(sent []types.Part) (parts []types.CompletedPart, total int64) {
	for _, p := range sent {
		parts = append(parts, types.CompletedPart{ETag: p.ETag, PartNumber: p.PartNumber})
		total += aws.ToInt64(p.Size)
	}
	return parts, total
}

func (s *Store) listParts(ctx context.Context, key, uploadID string) (sent []types.Part, err error) {
	pages := s3.NewListPartsPaginator(s.client, &s3.ListPartsInput{Bucket: &s.bucket, Key: &key, UploadId: &uploadID})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list parts of %s: %w", key, err)
		}
		sent = append(sent, page.Parts...)
	}
	return sent, nil
}
