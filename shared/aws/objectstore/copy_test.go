package objectstore_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// TestCopyTakesAnyKey copies keys that mean something in addresses.
func TestCopyTakesAnyKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, key := range []string{"drop/a.csv", "drop/März a+b %2F?x=1&y#z.csv"} {
		_, err := b.client.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: aws.String(bucket), Key: &key, ContentType: aws.String("text/csv"), Metadata: map[string]string{"loadbay": "{}"},
		})
		require.NoError(t, err)
		require.NoError(t, b.Copy(t.Context(), key, "copy of "+key))
		info, err := b.Head(t.Context(), "copy of "+key)
		require.NoError(t, err)
		require.Equal(t, "text/csv", info.ContentType)
		require.Equal(t, map[string]string{"loadbay": "{}"}, info.Metadata)
	}
	require.Equal(t, problem.UploadMissing, problem.CodeOf(b.Copy(t.Context(), "missing", "copy")))
}
