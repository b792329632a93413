package s3_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
)

// Objects and incomplete uploads are deleted on the day of their rule, and no earlier.
func TestLifecycleRulesDeleteOldObjects(t *testing.T) {
	t.Parallel()
	h := setup(t, t.TempDir(), func(context.Context, s3.ObjectCreated) error { return nil })
	put := func(key, tags string) {
		_, err := h.client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: aws.String(bucket), Key: &key, Body: strings.NewReader(key), Tagging: &tags})
		require.NoError(t, err)
	}
	put("drop/1/users.csv", "")
	put("exports/1/users.csv", "")
	put("other/kept.csv", "")
	put("other/discarded.csv", "discard=true")
	put("other/tagged.csv", "discard=false")
	for _, key := range []string{"drop/1/incomplete.csv", "other/incomplete.csv"} {
		_, err := h.client.CreateMultipartUpload(t.Context(), &awss3.CreateMultipartUploadInput{Bucket: aws.String(bucket), Key: &key})
		require.NoError(t, err)
	}
	rules := []blueprint.LifecycleRule{
		{Name: "drop", Prefix: "drop/", ExpireDays: 10, AbortUploadDays: 7},
		{Name: "exports", Prefix: "exports/", ExpireDays: 20},
		{Name: "discarded", Tag: "discard=true", ExpireDays: 1},
	}
	begun := time.Now()
	expire := func(after time.Duration) int {
		deleted, err := h.gateway.Expire(t.Context(), bucket, rules, begun.Add(after))
		require.NoError(t, err)
		return deleted
	}
	const day, hour = 24 * time.Hour, time.Hour
	require.Zero(t, expire(day-hour))
	require.Equal(t, 1, expire(day+hour), "the discarded object")
	require.Zero(t, expire(7*day-hour))
	require.Equal(t, 1, expire(7*day+hour), "the incomplete upload")
	require.Zero(t, expire(10*day-hour))
	require.Equal(t, 1, expire(10*day+hour))
	require.Equal(t, 1, expire(21*day))
	require.Zero(t, expire(1000*day))
	list, err := h.client.ListObjectsV2(t.Context(), &awss3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	require.NoError(t, err)
	var kept []string
	for _, object := range list.Contents {
		kept = append(kept, *object.Key)
	}
	require.Equal(t, []string{"other/kept.csv", "other/tagged.csv"}, kept)
	uploads, err := h.client.ListMultipartUploads(t.Context(), &awss3.ListMultipartUploadsInput{Bucket: aws.String(bucket)})
	require.NoError(t, err)
	require.Len(t, uploads.Uploads, 1)
	require.Equal(t, "other/incomplete.csv", *uploads.Uploads[0].Key)
}
