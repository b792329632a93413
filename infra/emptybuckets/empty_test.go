package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/shared/aws/sdkhttp"
)

const childArgument = "s3-child"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childArgument {
		if err := s3.Main(os.Args[2:]); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// startS3 starts an S3 server with these buckets and the given number of objects in each.
func startS3(t *testing.T, objects map[string]int) *awss3.Client {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	db, err := bbolt.Open(filepath.Join(dir, "aws.db"), 0o600, &bbolt.Options{NoSync: true, Timeout: time.Second})
	require.NoError(t, err)
	var names []string
	for name := range objects {
		names = append(names, name)
	}
	gateway, err := s3.New(t.Context(), s3.Config{
		Dir: filepath.Join(dir, "s3"), DB: db, Buckets: names, Created: func(context.Context, s3.ObjectCreated) error { return nil },
		Command: []string{program, childArgument},
	})
	require.NoError(t, err)
	server := httptest.NewServer(gateway)
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, gateway.Close())
		require.NoError(t, db.Close())
	})
	client := awss3.New(awss3.Options{
		Region: s3.Region, BaseEndpoint: &server.URL, HTTPClient: sdkhttp.New(nil), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(s3.AccessKey, s3.SecretKey, ""),
	})
	for name, n := range objects {
		for i := range n {
			_, err := client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: aws.String(name), Key: aws.String(fmt.Sprintf("uploads/%d/source", i)), Body: strings.NewReader("x")})
			require.NoError(t, err)
		}
	}
	return client
}

func tagBucket(t *testing.T, c *awss3.Client, bucket, key, value string) {
	t.Helper()
	_, err := c.PutBucketTagging(t.Context(), &awss3.PutBucketTaggingInput{
		Bucket: &bucket, Tagging: &types.Tagging{TagSet: []types.Tag{{Key: &key, Value: &value}}},
	})
	require.NoError(t, err)
}

// Only the buckets of the stage's own stacks are emptied, and all of them.
func TestStageBucketsAreEmptied(t *testing.T) {
	t.Parallel()
	had := map[string]int{"files-of-dev": 12, "console-of-dev": 1, "files-of-prod": 2, "files-of-a-cell": 4, "somebody-elses": 3, "untagged": 1}
	c := startS3(t, had)
	tagBucket(t, c, "files-of-dev", stackTag, "loadbay-dev-data")
	tagBucket(t, c, "console-of-dev", stackTag, "loadbay-dev-service")
	tagBucket(t, c, "files-of-prod", stackTag, "loadbay-prod-data")
	tagBucket(t, c, "files-of-a-cell", stackTag, "loadbay-dev-north-data")
	tagBucket(t, c, "somebody-elses", "owner", "loadbay-dev-data")
	emptied := make(map[string]int)
	require.NoError(t, emptyBuckets(t.Context(), c, "dev", func(bucket string, n int) { emptied[bucket] = n }))
	require.Equal(t, map[string]int{"files-of-dev": 12, "console-of-dev": 1}, emptied)
	for name, n := range had {
		if emptied[name] > 0 {
			n = 0
		}
		page, err := c.ListObjectsV2(t.Context(), &awss3.ListObjectsV2Input{Bucket: &name})
		require.NoError(t, err)
		require.Len(t, page.Contents, n, name)
	}
}

func TestStageWithRetainedDataIsRefused(t *testing.T) {
	for _, stage := range []string{"prod", "prod-north", "development"} {
		t.Setenv("STAGE", stage)
		require.ErrorContains(t, run(), "retains its data")
	}
}
