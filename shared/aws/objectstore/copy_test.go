package objectstore_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
)

// Keys with characters that are special in URLs can be copied.
func TestCopyEscapesKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, key := range []string{"drop/a.csv", "drop/März a+b %2F?x=1&y#z.csv"} {
		_, err := b.client.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: aws.String(bucket), Key: &key, ContentType: aws.String("text/csv"), Metadata: map[string]string{"loadbay": "{}"},
		})
		require.NoError(t, err)
		require.NoError(t, b.Copy(t.Context(), object.Version{Key: key}, "copy of "+key))
		info, err := b.Head(t.Context(), "copy of "+key)
		require.NoError(t, err)
		require.Equal(t, "text/csv", info.ContentType)
		require.Equal(t, map[string]string{"loadbay": "{}"}, info.Metadata)
	}
	require.Equal(t, problem.UploadMissing, problem.CodeOf(b.Copy(t.Context(), object.Version{Key: "missing"}, "copy")))
}

// A replaced version is neither copied nor deleted.
func TestCopyAndDeleteAreVersioned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.Put(t.Context(), "a", "text/csv", []byte("one")))
	info, err := b.Head(t.Context(), "a")
	require.NoError(t, err)
	first := object.Version{Key: "a", Size: info.Size, ETag: info.ETag}
	require.NoError(t, b.Copy(t.Context(), first, "copy"))
	require.NoError(t, b.Put(t.Context(), "a", "text/csv", []byte("two")))
	require.Equal(t, problem.SourceChanged, problem.CodeOf(b.Copy(t.Context(), first, "other")))
	require.NoError(t, b.DeleteVersion(t.Context(), first))
	require.Equal(t, []string{"a", "copy"}, b.keys(t))
	info, err = b.Head(t.Context(), "a")
	require.NoError(t, err)
	for range 2 { // the second time it is already deleted
		require.NoError(t, b.DeleteVersion(t.Context(), object.Version{Key: "a", ETag: info.ETag}))
	}
	require.Equal(t, []string{"copy"}, b.keys(t))
}
