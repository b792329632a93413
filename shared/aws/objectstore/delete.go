package objectstore

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/loadbay/loadbay/shared/job/object"
)

// Delete deletes an object. Deleting an object that does not exist is not an error.
func (s *Store) Delete(ctx context.Context, key string) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key})
	if err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

// DeleteVersion deletes a version of an object. It is not an error if the version no longer
// exists or has been replaced.
func (s *Store) DeleteVersion(ctx context.Context, v object.Version) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &v.Key, IfMatch: &v.ETag})
	if c := errorCode(err); err != nil && c != preconditionFailed && c != "NoSuchKey" && c != "NotFound" {
		return fmt.Errorf("discard %s: %w", v.Key, err)
	}
	return nil
}

// DeleteAll deletes the objects under a prefix and returns their number.
func (s *Store) DeleteAll(ctx context.Context, prefix string) (int, error) {
	deleted := 0
	// Deleting objects does not affect the following pages: each continues
	// after the last key of the previous one.
	pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return deleted, fmt.Errorf("list %s: %w", prefix, err)
		}
		if err := s.deletePage(ctx, page.Contents); err != nil {
			return deleted, fmt.Errorf("delete %s: %w", prefix, err)
		}
		deleted += len(page.Contents)
	}
	return deleted, nil
}

// deletePage deletes up to a thousand objects: the size of a page, and the limit of S3
// for one request.
func (s *Store) deletePage(ctx context.Context, objects []types.Object) error {
	if len(objects) == 0 {
		return nil
	}
	ids := make([]types.ObjectIdentifier, len(objects))
	for i, o := range objects {
		ids[i] = types.ObjectIdentifier{Key: o.Key}
	}
	out, err := s.client.DeleteObjects(ctx, &s3.DeleteObjectsInput{
		Bucket: &s.bucket, Delete: &types.Delete{Objects: ids, Quiet: aws.Bool(true)},
	})
	if err != nil {
		return err
	}
	for _, e := range out.Errors {
		return fmt.Errorf("%d of %d objects not deleted, first error for %s: %s", len(out.Errors), len(ids), aws.ToString(e.Code), aws.ToString(e.Message))
	}
	return nil
}
