package objectstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/loadbay/loadbay/shared/job/object"
)

// Limits of a multipart upload.
//
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
const (
	partSize = 8 << 20 // 10,000 parts are 80 GB
	// cleanupTimeout limits aborting an upload.
	cleanupTimeout = 5 * time.Second
)

// writer writes an object of unknown size in parts; it buffers one part in memory. The
// object exists after Complete has returned; Abort leaves nothing behind.
type writer struct {
	ctx         context.Context
	store       *Store
	key         string
	contentType string
	buf         bytes.Buffer
	upload      *string // nil until there is more than one part
	parts       []types.CompletedPart
	size        int64
}

// Create returns a writer of an object. ctx limits all its requests.
func (s *Store) Create(ctx context.Context, key, contentType string) object.Writer {
	return &writer{ctx: ctx, store: s, key: key, contentType: contentType}
}

// Size returns the number of bytes written so far.
func (w *writer) Size() int64 { return w.size }

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n := min(partSize-w.buf.Len(), len(p)-written)
		w.buf.Write(p[written : written+n])
		written += n
		w.size += int64(n)
		if w.buf.Len() == partSize {
			if err := w.uploadPart(); err != nil {
				return written, err
			}
		}
	}
	return written, nil
}

// uploadPart uploads the buffered data as the next part.
func (w *writer) uploadPart() error {
	if w.upload == nil {
		out, err := w.store.client.CreateMultipartUpload(w.ctx, &s3.CreateMultipartUploadInput{
			Bucket: &w.store.bucket, Key: &w.key, ContentType: &w.contentType,
		})
		if err != nil {
			return fmt.Errorf("begin %s: %w", w.key, err)
		}
		w.upload = out.UploadId
	}
	number := aws.Int32(int32(len(w.parts) + 1))
	out, err := w.store.client.UploadPart(w.ctx, &s3.UploadPartInput{
		Bucket: &w.store.bucket, Key: &w.key, UploadId: w.upload, PartNumber: number, Body: bytes.NewReader(w.buf.Bytes()),
	})
	if err != nil {
		return fmt.Errorf("write part %d of %s: %w", *number, w.key, err)
	}
	w.parts = append(w.parts, types.CompletedPart{PartNumber: number, ETag: out.ETag})
	w.buf.Reset()
	return nil
}

// Complete creates the object from the written data. Data that fits into one part is
// stored with a single request.
func (w *writer) Complete() error {
	if w.upload == nil {
		return w.store.Put(w.ctx, w.key, w.contentType, w.buf.Bytes())
	}
	if w.buf.Len() > 0 {
		if err := w.uploadPart(); err != nil {
			return err
		}
	}
	_, err := w.store.client.CompleteMultipartUpload(w.ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &w.store.bucket, Key: &w.key, UploadId: w.upload,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: w.parts},
	})
	if err != nil {
		return fmt.Errorf("complete %s: %w", w.key, err)
	}
	return nil
}

// Abort aborts the upload because of an error, which it returns. It deletes the parts
// even if ctx has ended.
func (w *writer) Abort(because error) error {
	if w.upload == nil {
		return because
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), cleanupTimeout)
	defer cancel()
	_, err := w.store.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{
		Bucket: &w.store.bucket, Key: &w.key, UploadId: w.upload,
	})
	if err != nil {
		return errors.Join(because, fmt.Errorf("abort upload of %s: %w", w.key, err))
	}
	return because
}
