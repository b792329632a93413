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

// StartMultipart begins an upload in parts and returns its id. What is never completed, the
// bucket's lifecycle removes.
func (s *Store) StartMultipart(ctx context.Context, key, contentType string) (string, error) {
	begun, err := s.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &s.bucket, Key: &key, ContentType: &contentType},
		// With an algorithm of its own choice, S3 would ask every part for its checksum.
		func(o *s3.Options) { o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired })
	if err != nil {
		return "", fmt.Errorf("begin upload of %s: %w", key, err)
	}
	return aws.ToString(begun.UploadId), nil
}

// PresignParts returns where to send the parts of an upload, of those sizes.
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

// UploadedParts are the parts of an upload that have been sent: UPLOAD_MISSING where there is
// no such upload any more.
func (s *Store) UploadedParts(ctx context.Context, key, uploadID string) ([]object.Part, error) {
	listed, err := s.listParts(ctx, key, uploadID)
	if errorCode(err) == "NoSuchUpload" {
		return nil, problem.New(problem.UploadMissing, "There is no such upload.")
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

// CompleteMultipart makes an object of the parts that have been sent, if they have
// that many bytes together: UPLOAD_MISSING if not. One that was completed before
// stays as it is.
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
		return problem.New(problem.UploadMissing, "%d of %d bytes have arrived. Send the parts that are missing first.", total, size)
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

// findCompleted finds the object that another request has made, or is making.
func (s *Store) findCompleted(ctx context.Context, key string, size int64) error {
	stored, err := s.Size(ctx, key)
	if err == nil && stored != size {
		return problem.New(problem.UploadMissing, "There is no such upload.")
	}
	return err
}

// completedParts are what completes an upload of the parts that have been sent, and their bytes
// together.
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
