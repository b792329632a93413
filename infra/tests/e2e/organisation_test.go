package e2e

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/sample"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// deletedUsers is the number of users of the organisation: several steps of a deletion.
const deletedUsers = 25_000

// An organisation is exported and deleted on the real stack, which is killed in the middle of the
// deletion. The receipt is exact, and no row and no file is left.
func TestOrganisationIsExportedAndDeleted(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t, "DELETION_SETTLE=1s")
	var file bytes.Buffer
	require.NoError(t, sample.Users(&file, deletedUsers, 0))
	j := r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", AutoStart: true}, file.String())
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)

	parts := r.exportOrganisation(ctx, t)
	require.Equal(t, deletedUsers, strings.Count(parts["entities/USER.ndjson"], "\n"))
	require.Equal(t, file.String(), parts["files/"+j.Identifier])
	require.Contains(t, parts["tables/loadbay.import_jobs.ndjson"], j.Identifier)

	var me struct{ OrganisationName string }
	require.NoError(t, r.Get(ctx, "/api/me", &me))
	require.NoError(t, r.Post(ctx, "/api/organisation/deletion", nil, nil))
	require.ErrorContains(t, r.Post(ctx, "/api/organisation/deletion/confirm", map[string]string{"name": "another"}, nil), "PARAMETER_INVALID")
	require.NoError(t, r.Post(ctx, "/api/organisation/deletion/confirm", map[string]string{"name": me.OrganisationName}, nil))
	_, err := r.Upload(ctx, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", SizeBytes: 9, AutoStart: true}, strings.NewReader("email\na@b\n"))
	require.ErrorContains(t, err, "ORG_DELETED")

	r.invoke(ctx, t, "reconcile")
	r.Await(t, "some rows are deleted", func() bool {
		return stacktest.Query[bool](t, r.Stack, `SELECT deleted_rows ? 'sample.users' FROM organisation_deletions`)
	})
	r.Kill()
	r.Restart(t)
	stacktest.Query[int64](t, r.Stack, `UPDATE organisation_deletions SET touched_at = now() - interval '10 minutes' RETURNING organisation_id`)
	r.Await(t, "the organisation is deleted", func() bool {
		r.invoke(ctx, t, "reconcile")
		return stacktest.Query[bool](t, r.Stack, `SELECT completed_at IS NOT NULL FROM organisation_deletions`)
	})

	var receipt struct {
		Status       string
		RequestedBy  *string
		DeletedRows  map[string]int64
		DeletedFiles int64
	}
	require.NoError(t, r.Get(ctx, "/api/organisation/deletion", &receipt))
	require.Equal(t, "COMPLETED", receipt.Status)
	require.Nil(t, receipt.RequestedBy)
	require.EqualValues(t, deletedUsers, receipt.DeletedRows["sample.users"])
	require.EqualValues(t, 1, receipt.DeletedRows["loadbay.import_jobs"])
	require.Positive(t, receipt.DeletedFiles)
	require.Zero(t, stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM users WHERE organisation_id = 1`))
	b, bucket := r.bucket(), stacktest.Blueprint().Bucket.Name
	listed, err := b.client.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: &bucket})
	require.NoError(t, err)
	for _, o := range listed.Contents {
		require.NotContains(t, *o.Key, "/1/")
	}
}

// exportOrganisation returns the parts of the archive of the organisation.
func (r *testStack) exportOrganisation(ctx context.Context, t *testing.T) map[string]string {
	t.Helper()
	var e struct{ Identifier, Status string }
	require.NoError(t, r.Do(ctx, http.MethodPost, "/api/organisation/export", "", nil, &e))
	require.Eventually(t, func() bool {
		require.NoError(t, r.Get(ctx, "/api/exports/"+e.Identifier, &e))
		return e.Status != "PENDING" && e.Status != "PROCESSING"
	}, maxWait, 50*time.Millisecond)
	require.Equal(t, "COMPLETED", e.Status)
	key, bucket := "exports/1/"+e.Identifier+".zip", stacktest.Blueprint().Bucket.Name
	object, err := r.bucket().client.GetObject(ctx, &awss3.GetObjectInput{Bucket: &bucket, Key: &key})
	require.NoError(t, err)
	body, err := io.ReadAll(object.Body)
	require.NoError(t, err)
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	require.NoError(t, err)
	parts := make(map[string]string)
	for _, f := range archive.File {
		part, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(part)
		require.NoError(t, err)
		parts[f.Name] = string(text)
	}
	var manifest struct {
		Parts   []struct{ Path string }
		Skipped []any
	}
	require.NoError(t, json.Unmarshal([]byte(parts["manifest.json"]), &manifest))
	require.Len(t, manifest.Parts, len(parts)-1)
	require.Empty(t, manifest.Skipped)
	return parts
}
