package s3_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"
)

// Deleting the last object of a folder also deletes the folder, possibly while another object is
// being created in it. The client then gets S3's error for overload.
func TestRemovedFolderIsRetryable(t *testing.T) {
	t.Parallel()
	b := setup(t, t.TempDir(), nil)
	var workers sync.WaitGroup
	for worker := range 4 {
		workers.Go(func() {
			key := fmt.Sprintf("chunks/a/b/c/d/e/%d", worker)
			for range 300 {
				_, err := b.client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: aws.String(bucket), Key: &key, Body: strings.NewReader("x")}, sendOnce)
				var refused *awshttp.ResponseError
				if errors.As(err, &refused) && refused.HTTPStatusCode() == http.StatusServiceUnavailable {
					continue
				}
				if err == nil {
					_, err = b.client.DeleteObject(t.Context(), &awss3.DeleteObjectInput{Bucket: aws.String(bucket), Key: &key})
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
}

// A key that already is a folder is rejected permanently.
func TestFolderKeyIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, t.TempDir(), nil)
	b.put(t, "chunks/a/b", "below")
	_, err := b.client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String("chunks/a"), Body: strings.NewReader("x")}, sendOnce)
	require.ErrorContains(t, err, "ExistingObjectIsDirectory")
}

// sendOnce disables retries.
func sendOnce(o *awss3.Options) { o.Retryer = aws.NopRetryer{} }
