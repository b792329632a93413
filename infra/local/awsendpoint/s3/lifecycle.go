package s3

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// day is the unit of lifecycle rules.
const day = 24 * time.Hour

// Expire applies the lifecycle rules of a bucket at a time: it deletes objects and incomplete
// uploads that are old enough, and returns their number. S3 does so once a day.
func (g *Gateway) Expire(ctx context.Context, bucket string, rules []blueprint.LifecycleRule, now time.Time) (deleted int, err error) {
	for _, rule := range rules {
		objects, err := g.objects.expire(ctx, bucket, rule, now)
		deleted += objects
		if err != nil {
			return deleted, fmt.Errorf("lifecycle rule %s: %w", rule.Name, err)
		}
		if rule.AbortUploadDays == 0 {
			continue
		}
		uploads, err := g.objects.abortUploads(ctx, bucket, rule, now)
		deleted += uploads
		if err != nil {
			return deleted, fmt.Errorf("lifecycle rule %s: %w", rule.Name, err)
		}
	}
	return deleted, nil
}

// expire deletes the objects of a rule. It lists them all first, because deleting would shift
// the pages of the list.
func (o *objects) expire(ctx context.Context, bucket string, rule blueprint.LifecycleRule, now time.Time) (deleted int, err error) {
	var old []string
	pages := s3.NewListObjectsV2Paginator(o.client, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &rule.Prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return 0, fmt.Errorf("list objects: %w", err)
		}
		for _, found := range page.Contents {
			if now.Sub(aws.ToTime(found.LastModified)) >= time.Duration(rule.ExpireDays)*day {
				old = append(old, aws.ToString(found.Key))
			}
		}
	}
	for _, key := range old {
		if rule.Tag != "" {
			tagged, err := o.hasTag(ctx, bucket, key, rule.Tag)
			if err != nil {
				return deleted, err
			}
			if !tagged {
				continue
			}
		}
		if _, err := o.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key}); err != nil {
			return deleted, fmt.Errorf("delete %s: %w", safeName(key), err)
		}
		deleted++
	}
	return deleted, nil
}

// hasTag reports whether an object has a tag, given as "name=value".
func (o *objects) hasTag(ctx context.Context, bucket, key, tag string) (bool, error) {
	if tags, err := o.hasTags(ctx, bucket, key); err != nil || !tags {
		return false, err
	}
	tags, err := o.client.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return false, fmt.Errorf("tags of %s: %w", safeName(key), err)
	}
	name, value, _ := strings.Cut(tag, "=")
	for _, found := range tags.TagSet {
		if aws.ToString(found.Key) == name && aws.ToString(found.Value) == value {
			return true, nil
		}
	}
	return false, nil
}

// abortUploads deletes the parts of incomplete uploads.
func (o *objects) abortUploads(ctx context.Context, bucket string, rule blueprint.LifecycleRule, now time.Time) (aborted int, err error) {
	pages := s3.NewListMultipartUploadsPaginator(o.client, &s3.ListMultipartUploadsInput{Bucket: &bucket, Prefix: &rule.Prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return aborted, fmt.Errorf("list uploads: %w", err)
		}
		for _, upload := range page.Uploads {
			if now.Sub(aws.ToTime(upload.Initiated)) < time.Duration(rule.AbortUploadDays)*day {
				continue
			}
			_, err := o.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &bucket, Key: upload.Key, UploadId: upload.UploadId})
			if err != nil {
				return aborted, fmt.Errorf("abort upload of %s: %w", safeName(aws.ToString(upload.Key)), err)
			}
			aborted++
		}
	}
	return aborted, nil
}
