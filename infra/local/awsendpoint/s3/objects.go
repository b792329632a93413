package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/shared/aws/sdkhttp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// objects queries the child for its objects.
type objects struct{ client *s3.Client }

func newObjects(transport http.RoundTripper) *objects {
	return &objects{client: s3.New(s3.Options{
		Region:       Region,
		BaseEndpoint: aws.String("http://" + socketHost),
		UsePathStyle: true,
		Credentials:  credentials.NewStaticCredentialsProvider(AccessKey, SecretKey, ""),
		HTTPClient:   sdkhttp.New(&http.Client{Transport: transport}),
	})}
}

// createBucket creates a bucket unless it exists.
func (o *objects) createBucket(ctx context.Context, bucket string) error {
	_, err := o.client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &bucket})
	var mine *types.BucketAlreadyOwnedByYou
	if err != nil && !errors.As(err, &mine) {
		return fmt.Errorf("create bucket %s: %w", bucket, err)
	}
	return nil
}

// describe returns an object's properties for an event, and whether it exists.
func (o *objects) describe(ctx context.Context, bucket, key string) (ObjectCreated, bool, error) {
	head, err := o.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &bucket, Key: &key})
	var missing *types.NotFound
	if errors.As(err, &missing) {
		return ObjectCreated{}, false, nil
	}
	if err != nil {
		return ObjectCreated{}, false, fmt.Errorf("head %s/%s: %w", bucket, safeName(key), err)
	}
	return ObjectCreated{
		Bucket: bucket, Key: key,
		Size: aws.ToInt64(head.ContentLength),
		ETag: strings.Trim(aws.ToString(head.ETag), `"`),
		Time: aws.ToTime(head.LastModified),
	}, true, nil
}

// hasTags reports whether an object has tags.
func (o *objects) hasTags(ctx context.Context, bucket, key string) (bool, error) {
	tags, err := o.client.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: &bucket, Key: &key})
	var fault smithy.APIError
	if errors.As(err, &fault) { // the object does not exist or has no tags
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("tags of %s/%s: %w", bucket, safeName(key), err)
	}
	return len(tags.TagSet) > 0, nil
}
