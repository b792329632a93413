package objectstore_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
)

// childEnv is the first argument that runs the test binary as the local S3's child process.
const childEnv = "s3-child"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childEnv {
		if err := local.Main(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// store is a bucket of the local S3, with a client for direct access.
type store struct {
	*objectstore.Store
	client *s3.Client
}

const bucket = "files"

func setup(t *testing.T) *store {
	t.Helper()
	db, err := awsendpoint.OpenDatabase(filepath.Join(t.TempDir(), "aws.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	program, err := os.Executable()
	require.NoError(t, err)
	gateway, err := local.New(t.Context(), local.Config{
		Dir: filepath.Join(t.TempDir(), "s3"), DB: db, Buckets: []string{bucket}, Command: []string{program, childEnv},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, gateway.Close()) })
	handler, err := awsendpoint.Handler(awsendpoint.Config{Objects: gateway})
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client := s3.New(s3.Options{
		Region: local.Region, BaseEndpoint: &server.URL, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(local.AccessKey, local.SecretKey, ""),
	})
	return &store{Store: objectstore.New(client, bucket), client: client}
}

// keys returns the keys of all objects.
func (s *store) keys(t *testing.T) []string {
	t.Helper()
	out, err := s.client.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	require.NoError(t, err)
	keys := make([]string, len(out.Contents))
	for i, o := range out.Contents {
		keys[i] = aws.ToString(o.Key)
	}
	return keys
}

func (s *store) put(t *testing.T, keys ...string) {
	t.Helper()
	for _, key := range keys {
		require.NoError(t, s.Put(t.Context(), key, "text/plain", []byte(key)))
	}
}

func TestDeleteAllByPrefix(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.put(t, "chunks/1/a/000000", "chunks/1/a/000001", "chunks/1/ab/000000", "chunks/2/a/000000", "uploads/1/a/source")
	n, err := s.DeleteAll(t.Context(), "chunks/1/a/")
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, []string{"chunks/1/ab/000000", "chunks/2/a/000000", "uploads/1/a/source"}, s.keys(t))
	n, err = s.DeleteAll(t.Context(), "chunks/1/a/")
	require.NoError(t, err)
	require.Zero(t, n)
}

// There are more objects than fit into one page of a listing or one delete request.
func TestDeleteAllReadsAllPages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("creates a thousand objects")
	}
	s := setup(t)
	const objects = 1003
	var group errgroup.Group
	group.SetLimit(8)
	for i := range objects {
		group.Go(func() error { return s.Put(t.Context(), fmt.Sprintf("chunks/1/a/%06d", i), "text/plain", []byte("x")) })
	}
	require.NoError(t, group.Wait())
	n, err := s.DeleteAll(t.Context(), "chunks/")
	require.NoError(t, err)
	require.Equal(t, objects, n)
	require.Empty(t, s.keys(t))
}

func TestDelete(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.put(t, "uploads/1/a/source")
	for range 2 { // the second time they are already deleted
		require.NoError(t, s.Delete(t.Context(), "uploads/1/a/source"))
	}
	_, err := s.Size(t.Context(), "uploads/1/a/source")
	require.Equal(t, problem.UploadMissing, problem.CodeOf(err))
}

// Of two uploads of the same object, the first completed one is kept.
func TestMultipartDoesNotOverwrite(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const key = "uploads/1/a/source"
	begin := func(body string) object.Parts {
		id, err := s.StartMultipart(t.Context(), key, "text/csv")
		require.NoError(t, err)
		parts, err := s.PresignParts(t.Context(), key, id, []int64{int64(len(body))}, time.Hour)
		require.NoError(t, err)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, parts.URLs[0], strings.NewReader(body))
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode)
		return parts
	}
	one, two := begin("one"), begin("two")
	sent, err := s.UploadedParts(t.Context(), key, one.UploadID)
	require.NoError(t, err)
	require.Equal(t, []object.Part{{Number: 1, Size: 3}}, sent)
	for range 2 { // the second time it is already complete
		require.NoError(t, s.CompleteMultipart(t.Context(), key, one.UploadID, 3))
	}
	_, err = s.UploadedParts(t.Context(), key, one.UploadID)
	require.Equal(t, problem.UploadMissing, problem.CodeOf(err), "the upload is already complete")
	info, err := s.Head(t.Context(), key)
	require.NoError(t, err)
	require.NoError(t, s.CompleteMultipart(t.Context(), key, two.UploadID, 3), "completing succeeds if the file exists")
	body, err := s.ReadRange(t.Context(), object.Version{Key: key, ETag: info.ETag}, 0, 3)
	require.NoError(t, err)
	require.Equal(t, "one", string(body))
}
