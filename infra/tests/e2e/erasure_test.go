package e2e

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// A person occurs in a file that is cut into objects, in the name of another person, in failed
// rows, in a discarded plan and in exports. After the erasure and a purge, no table and no
// object contains anything about that person.
func TestErasureRemovesAllTraces(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	period := int64(1)
	roster := rawclient.CreateRequest{ImportType: "MEMBERSHIP", ContextID: &period, Filename: "roster.csv", Mode: "upsert", AutoStart: true}
	const head = "First name;Last name;Email;Identity number;Phone;Membership type\n"
	j := r.uploadAndWait(ctx, t, roster, head+"Zebedea;Quillfeather;old-zq@quill.example;ZQ-778899;;Masters\nRen\xe9;Stays;rene@example.org;R-1;;Masters\n")
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
	roster.Filename = "Letter of Quillfeather.csv"
	j = r.uploadAndWait(ctx, t, roster, head+"Zebedea;Quillfeather;zebedea@quill.example;ZQ-778899;0555 778899;Masters\nZebedea;;zebedea@quill.example@oops;ZQ-778899;;Nothing\n")
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
	require.Positive(t, j.ErrorCount)
	roster.Plan = true
	planned, err := r.Upload(ctx, withFileSize(roster, head+planIDPattern), strings.NewReader(head+planIDPattern))
	require.NoError(t, err)
	_, err = r.Wait(ctx, planned.Identifier, stacktest.PollInterval, nil, func(j *rawclient.Job) bool { return j.Status == "AWAITING_APPROVAL" || j.Ended() })
	require.NoError(t, err)
	require.NoError(t, r.Do(ctx, http.MethodDelete, "/api/imports/"+planned.Identifier, "", nil, nil))
	_, _, err = r.Export(ctx, rawclient.ExportRequest{Resource: "memberships", Format: "csv"}, stacktest.PollInterval)
	require.NoError(t, err)
	erased := []string{"zebedea", "quillfeather", "quill.example", "778899"}
	require.Len(t, r.objectsContaining(ctx, t, erased), len(erased), "the bucket contains each value before the erasure")

	var report struct {
		Complete    bool
		OpenImports int
	}
	require.NoError(t, r.Operator(t).Do(ctx, http.MethodDelete, "/api/admin/organisations/1/persons/zebedea@quill.example", "", nil, &report))
	require.True(t, report.Complete)
	require.Zero(t, report.OpenImports)
	require.Empty(t, r.tablesContaining(t, erased))
	r.invoke(ctx, t, "purge")
	require.Empty(t, r.objectsContaining(ctx, t, erased))
	require.NotEmpty(t, r.tablesContaining(t, []string{"rene@example.org"}), "other people's data stays")
}

// An erasure takes longer than a request, and its caller does not ask again: reconcile finds
// it, and the erase function completes it.
func TestErasureContinuesAfterTimeout(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	period := int64(1)
	j := r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "MEMBERSHIP", ContextID: &period, Filename: "roster.csv", Mode: "upsert", AutoStart: true},
		"First name;Last name;Email;Membership type\nZebedea;Quillfeather;zebedea@quill.example;Masters\nStay;Here;stay@example.org;Masters\n")
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
	stacktest.Query[int64](t, r.Stack, `
		INSERT INTO person_erasures (organisation_id, person_id, traces, place, touched_at)
		SELECT organisation_id, id, '{"entities": [], "rows": [], "values": []}', '{}', now() - interval '10 minutes'
		FROM persons WHERE email = 'zebedea@quill.example'
		RETURNING person_id`)
	r.invoke(ctx, t, "reconcile")
	r.Await(t, "the person is erased", func() bool {
		return stacktest.Query[bool](t, r.Stack, `SELECT NOT EXISTS (SELECT FROM persons WHERE email = 'zebedea@quill.example') AND NOT EXISTS (SELECT FROM person_erasures)`)
	})
	require.Empty(t, r.tablesContaining(t, []string{"quillfeather", "quill.example"}))
	require.NotEmpty(t, r.tablesContaining(t, []string{"stay@example.org"}), "other people's data stays")
}

const planIDPattern = "Zebedea;Quillfeather;planned@quill.example;ZQ-778899;;Masters\n"

func withFileSize(c rawclient.CreateRequest, file string) rawclient.CreateRequest {
	c.SizeBytes = int64(len(file))
	return c
}

// objectsContaining returns, for each text, the keys of the bucket's objects that contain it.
func (r *testStack) objectsContaining(ctx context.Context, t *testing.T, texts []string) map[string][]string {
	t.Helper()
	b, name, found := r.bucket(), stacktest.Blueprint().Bucket.Name, map[string][]string{}
	listed, err := b.client.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: &name})
	require.NoError(t, err)
	for _, o := range listed.Contents {
		object, err := b.client.GetObject(ctx, &awss3.GetObjectInput{Bucket: &name, Key: o.Key})
		require.NoError(t, err)
		body, err := io.ReadAll(object.Body)
		require.NoError(t, err)
		for _, text := range texts {
			if strings.Contains(strings.ToLower(*o.Key+string(body)), text) {
				found[text] = append(found[text], *o.Key)
			}
		}
	}
	return found
}

// tablesContaining returns the tables with rows that contain one of the texts.
func (r *testStack) tablesContaining(t *testing.T, texts []string) (found []string) {
	t.Helper()
	for _, table := range strings.Fields(stacktest.Query[string](t, r.Stack, `
		SELECT string_agg(oid::regclass::text, ' ') FROM pg_class WHERE relkind = 'r' AND relnamespace = ANY ('{loadbay,sample}'::regnamespace[])`)) {
		for _, text := range texts {
			if stacktest.Query[bool](t, r.Stack, `SELECT EXISTS (SELECT FROM `+table+` AS t WHERE strpos(lower(t::text), '`+text+`') > 0)`) {
				found = append(found, table+": "+text)
			}
		}
	}
	return found
}
