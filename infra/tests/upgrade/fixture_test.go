package upgrade

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// The files of a fixture: testdata/<commit>/…
const (
	manifestFile = "manifest.json"
	expectedFile = "expected.json"
	stateFile    = "state.tar.gz"
)

// The members of a state file. Objects are stored with their keys as names.
const (
	databaseMember = "database.sql" // pg_dump
	awsMember      = "aws.db"
	objectsMember  = "objects/"
)

// Folders and files of a stack's DATA_DIR.
const (
	postgresDir = "postgres"
	awsDB       = "aws.db"
	objectsDir  = "s3"
)

// manifest describes a fixture.
type manifest struct {
	// RecordedAt is when the stack was stopped; the test moves all times forward by the time since.
	RecordedAt time.Time
	Scenario   scenario
	// ContentTypes are those of the objects, by key.
	ContentTypes map[string]string
}

// state is the content of a state file.
type state struct {
	database, aws []byte
	objects       map[string][]byte // by key
}

func readJSON[T any](t *testing.T, path string) (v T) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o644))
}

func readState(t *testing.T, path string) state {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	s := state{objects: map[string][]byte{}}
	for members := tar.NewReader(unzipped); ; {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			return s
		}
		require.NoError(t, err)
		content, err := io.ReadAll(members)
		require.NoError(t, err)
		switch key, isObject := strings.CutPrefix(header.Name, objectsMember); {
		case isObject:
			s.objects[key] = content
		case header.Name == databaseMember:
			s.database = content
		case header.Name == awsMember:
			s.aws = content
		default:
			require.Fail(t, "unknown member", header.Name)
		}
	}
}

func (s state) write(t *testing.T, path string) {
	t.Helper()
	var file bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
	require.NoError(t, err)
	members := tar.NewWriter(zipped)
	add := func(name string, content []byte) {
		require.NoError(t, members.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o644}))
		_, err := members.Write(content)
		require.NoError(t, err)
	}
	add(databaseMember, s.database)
	add(awsMember, s.aws)
	for key, content := range s.objects {
		add(objectsMember+key, content)
	}
	require.NoError(t, errors.Join(members.Close(), zipped.Close()))
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o644))
}

// withObjects serves the objects in a stopped stack's DATA_DIR without raising events.
func withObjects(t *testing.T, dataDir string, do func(c *awss3.Client, bucket string)) {
	t.Helper()
	journal, err := awsendpoint.OpenDatabase(filepath.Join(t.TempDir(), "journal.db"))
	require.NoError(t, err)
	bucket := stacktest.Blueprint().Bucket.Name
	gateway, err := s3.New(t.Context(), s3.Config{Dir: filepath.Join(dataDir, objectsDir), DB: journal, Buckets: []string{bucket}, Command: childCommand(t)})
	require.NoError(t, err)
	server := httptest.NewServer(gateway)
	defer func() {
		server.Close()
		require.NoError(t, errors.Join(gateway.Close(), journal.Close()))
	}()
	do(awss3.NewFromConfig(stacktest.AWSConfig(server.URL), func(o *awss3.Options) { o.UsePathStyle = true }), bucket)
}

// readObjects reads all objects with their content types. It returns an error for an object that
// has metadata or tags, which a fixture does not contain.
func readObjects(ctx context.Context, c *awss3.Client, bucket string) (objects map[string][]byte, contentTypes map[string]string, err error) {
	objects, contentTypes = map[string][]byte{}, map[string]string{}
	for pages := awss3.NewListObjectsV2Paginator(c, &awss3.ListObjectsV2Input{Bucket: &bucket}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, o := range page.Contents {
			object, err := c.GetObject(ctx, &awss3.GetObjectInput{Bucket: &bucket, Key: o.Key})
			if err != nil {
				return nil, nil, err
			}
			content, err := io.ReadAll(object.Body)
			if err := errors.Join(err, object.Body.Close()); err != nil {
				return nil, nil, err
			}
			if len(object.Metadata) > 0 || aws.ToInt32(object.TagCount) > 0 || aws.ToString(object.ContentEncoding) != "" {
				return nil, nil, fmt.Errorf("%s has metadata or tags, which a fixture does not contain", *o.Key)
			}
			objects[*o.Key], contentTypes[*o.Key] = content, aws.ToString(object.ContentType)
		}
	}
	return objects, contentTypes, nil
}

func putObjects(ctx context.Context, c *awss3.Client, bucket string, objects map[string][]byte, contentTypes map[string]string) error {
	for key, content := range objects {
		_, err := c.PutObject(ctx, &awss3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(content), ContentType: aws.String(contentTypes[key])})
		if err != nil {
			return fmt.Errorf("put %s: %w", key, err)
		}
	}
	return nil
}

// compactDB returns a copy of a bbolt file without its free pages and what was deleted from them.
func compactDB(t *testing.T, path string) []byte {
	t.Helper()
	from, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	require.NoError(t, err)
	compact := filepath.Join(t.TempDir(), "compact.db")
	to, err := bbolt.Open(compact, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, bbolt.Compact(to, from, 0))
	require.NoError(t, errors.Join(from.Close(), to.Close()))
	content, err := os.ReadFile(compact)
	require.NoError(t, err)
	return content
}
