package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// disposableStage is the stage with data that may be deleted.
const disposableStage = "dev"

// stackTag is the tag in which CloudFormation stores the name of its stack.
const stackTag = "aws:cloudformation:stack-name"

// bucketClient contains the required S3 operations.
type bucketClient interface {
	s3.ListBucketsAPIClient
	s3.ListObjectVersionsAPIClient
	GetBucketTagging(context.Context, *s3.GetBucketTaggingInput, ...func(*s3.Options)) (*s3.GetBucketTaggingOutput, error)
	DeleteObjects(context.Context, *s3.DeleteObjectsInput, ...func(*s3.Options)) (*s3.DeleteObjectsOutput, error)
}

// emptyBuckets deletes all versions of all objects in the stage's buckets, and calls tell for
// each bucket with the number of objects.
func emptyBuckets(ctx context.Context, b bucketClient, stage string, tell func(bucket string, objects int)) error {
	for pages := s3.NewListBucketsPaginator(b, &s3.ListBucketsInput{}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("list the buckets: %w", err)
		}
		for _, bucket := range page.Buckets {
			name := aws.ToString(bucket.Name)
			ours, err := createdByStack(ctx, b, name, stage)
			if err != nil {
				return fmt.Errorf("bucket %s: %w", name, err)
			}
			if !ours {
				continue
			}
			n, err := deleteAllVersions(ctx, b, name)
			if err != nil {
				return fmt.Errorf("empty bucket %s: %w", name, err)
			}
			tell(name, n)
		}
	}
	return nil
}

// createdByStack reports whether one of the stage's two stacks created the bucket. Their names are
// compared whole, because those of the cells of a stage begin with its name. A bucket without read
// permission belongs to others.
func createdByStack(ctx context.Context, b bucketClient, bucket, stage string) (bool, error) {
	tags, err := b.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: &bucket})
	var refused smithy.APIError
	if errors.As(err, &refused) {
		switch refused.ErrorCode() {
		case "NoSuchTagSet", "AccessDenied", "PermanentRedirect":
			return false, nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("its tags: %w", err)
	}
	for _, tag := range tags.TagSet {
		if aws.ToString(tag.Key) == stackTag {
			name := aws.ToString(tag.Value)
			return name == "loadbay-"+stage+"-data" || name == "loadbay-"+stage+"-service", nil
		}
	}
	return false, nil
}

func deleteAllVersions(ctx context.Context, b bucketClient, bucket string) (n int, err error) {
	for pages := s3.NewListObjectVersionsPaginator(b, &s3.ListObjectVersionsInput{Bucket: &bucket}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return n, fmt.Errorf("list: %w", err)
		}
		var all []types.ObjectIdentifier
		for i := range page.Versions {
			all = append(all, types.ObjectIdentifier{Key: page.Versions[i].Key, VersionId: page.Versions[i].VersionId})
		}
		for i := range page.DeleteMarkers {
			all = append(all, types.ObjectIdentifier{Key: page.DeleteMarkers[i].Key, VersionId: page.DeleteMarkers[i].VersionId})
		}
		if len(all) == 0 {
			continue
		}
		out, err := b.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &bucket, Delete: &types.Delete{Objects: all, Quiet: aws.Bool(true)}})
		if err != nil {
			return n, fmt.Errorf("delete: %w", err)
		}
		if len(out.Errors) > 0 {
			return n, fmt.Errorf("delete: %d of %d objects not deleted: %s", len(out.Errors), len(all), aws.ToString(out.Errors[0].Message))
		}
		n += len(all)
	}
	return n, nil
}
