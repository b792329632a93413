package inputs

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// bucket gives access to Loadbay's bucket as its senders use it.
type bucket struct {
	stack  *stacktest.Stack
	client *awss3.Client
	name   *string
}

func openBucket(s *stacktest.Stack) bucket {
	return bucket{s, awss3.NewFromConfig(s.AWSConfig(), func(o *awss3.Options) { o.UsePathStyle = true }), aws.String(stacktest.Blueprint().Bucket.Name)}
}

func (b bucket) put(t *testing.T, key, body string) {
	t.Helper()
	_, err := b.client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: b.name, Key: &key, Body: strings.NewReader(body)})
	require.NoError(t, err)
}

func (b bucket) get(ctx context.Context, key string) (string, error) {
	out, err := b.client.GetObject(ctx, &awss3.GetObjectInput{Bucket: b.name, Key: &key})
	if err != nil {
		return "", err
	}
	defer out.Body.Close()
	body, err := io.ReadAll(out.Body)
	return string(body), err
}

// await waits for an object and returns its content.
func (b bucket) await(t *testing.T, key string) (body string) {
	t.Helper()
	b.stack.Await(t, key+" comes", func() (there bool) {
		var err error
		body, err = b.get(t.Context(), key)
		return err == nil
	})
	return body
}

// keys returns the keys of all objects.
func (b bucket) keys(t *testing.T) (keys []string) {
	t.Helper()
	pages := awss3.NewListObjectsV2Paginator(b.client, &awss3.ListObjectsV2Input{Bucket: b.name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, o := range page.Contents {
			keys = append(keys, *o.Key)
		}
	}
	return keys
}
