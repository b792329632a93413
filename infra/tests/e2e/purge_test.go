package e2e

import (
	"testing"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// An export, and an import with a file that is cut into objects because it is not UTF-8, ended long
// ago: nothing of them remains in the bucket.
func TestPurgeDeletesExpired(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	b, name := r.bucket(), stacktest.Blueprint().Bucket.Name
	keys := func() (keys []string) {
		listed, err := b.client.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: &name})
		require.NoError(t, err)
		for _, o := range listed.Contents {
			keys = append(keys, *o.Key)
		}
		return keys
	}
	j := r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", AutoStart: true}, "email,name\nada@x.org,Ad\xe9\n")
	require.Equal(t, "COMPLETED", j.Status)
	_, _, err := r.Export(ctx, rawclient.ExportRequest{Resource: "users", Format: "csv"}, stacktest.PollInterval)
	require.NoError(t, err)
	require.Len(t, keys(), 3, "the original file, a chunk and an export")

	for _, table := range []string{"import_jobs", "export_jobs"} {
		stacktest.Query[string](t, r.Stack, `UPDATE `+table+` SET created_at = now() - interval '1 year', started_at = now() - interval '1 year',
			completed_at = now() - interval '1 year' RETURNING uuid::text`)
	}
	r.invoke(ctx, t, "purge")
	require.Empty(t, keys())
}
