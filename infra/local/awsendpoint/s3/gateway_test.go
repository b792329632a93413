package s3_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loadbay/loadbay/shared/aws/sdkhttp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
)

// childArgument makes the test binary run as the child process.
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

const bucket = "files"

// harness is a gateway with a client and the events that it sent.
type harness struct {
	gateway *s3.Gateway
	client  *awss3.Client
	events  chan s3.ObjectCreated
}

// setup starts a gateway on a folder, which may contain the objects of a previous one.
func setup(t *testing.T, dir string, created func(context.Context, s3.ObjectCreated) error) *harness {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	db, err := bbolt.Open(filepath.Join(dir, "aws.db"), 0o600, &bbolt.Options{NoSync: true, Timeout: time.Second})
	require.NoError(t, err)
	b := &harness{events: make(chan s3.ObjectCreated, 100)}
	if created == nil {
		created = func(_ context.Context, event s3.ObjectCreated) error {
			b.events <- event
			return nil
		}
	}
	b.gateway, err = s3.New(t.Context(), s3.Config{
		Dir: filepath.Join(dir, "s3"), DB: db, Buckets: []string{bucket},
		Prefixes: []string{"uploads/", "drop/"}, Created: created,
		Command: []string{program, childArgument},
	})
	require.NoError(t, err)
	server := httptest.NewServer(b.gateway)
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, b.gateway.Close())
		require.NoError(t, db.Close())
	})
	b.client = awss3.New(awss3.Options{
		Region: s3.Region, BaseEndpoint: &server.URL, HTTPClient: sdkhttp.New(nil),
		Credentials: credentials.NewStaticCredentialsProvider(s3.AccessKey, s3.SecretKey, ""),
	})
	return b
}

func (b *harness) put(t *testing.T, key, body string) {
	t.Helper()
	_, err := b.client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: aws.String(bucket), Key: &key, Body: strings.NewReader(body)})
	require.NoError(t, err)
}

func (b *harness) next(t *testing.T) s3.ObjectCreated {
	t.Helper()
	select {
	case event := <-b.events:
		return event
	case <-t.Context().Done():
		t.Fatal("the test ended before the event arrived")
	case <-time.After(2 * time.Minute):
		t.Fatal("no event arrived")
	}
	return s3.ObjectCreated{}
}

func TestOnlyAnnouncedPrefixesRaiseEvents(t *testing.T) {
	t.Parallel()
	b := setup(t, t.TempDir(), nil)
	b.put(t, "chunks/1", "silent")
	b.put(t, "uploads/a b+c.csv", "hello")
	event := b.next(t)
	require.Equal(t, "uploads/a b+c.csv", event.Key)
	require.Equal(t, bucket, event.Bucket)
	require.Equal(t, int64(5), event.Size)
	require.Equal(t, "5d41402abc4b2a76b9719d911017c592", event.ETag)
	require.Equal(t, "PutObject", event.Reason)
	require.Empty(t, b.events)
}

func TestFailedUploadsRaiseNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, t.TempDir(), nil)
	_, err := b.client.PutObject(t.Context(), &awss3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String("uploads/x"), Body: strings.NewReader("x"), ContentMD5: aws.String("AAAAAAAAAAAAAAAAAAAAAA=="),
	})
	require.ErrorContains(t, err, "BadDigest")
	b.put(t, "uploads/y", "y")
	require.Equal(t, "uploads/y", b.next(t).Key)
	require.Empty(t, b.events)
}

func TestEventIsRedeliveredUntilAccepted(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	taken := make(chan s3.ObjectCreated, 1)
	b := setup(t, t.TempDir(), func(_ context.Context, event s3.ObjectCreated) error {
		if calls.Add(1) < 3 {
			return errors.New("not now")
		}
		taken <- event
		return nil
	})
	b.put(t, "drop/x.csv", "x")
	require.Equal(t, "drop/x.csv", (<-taken).Key)
	require.Equal(t, int32(3), calls.Load())
}

func TestUndeliveredEventSurvivesRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tried := make(chan struct{}, 100)
	t.Run("delivery fails", func(t *testing.T) {
		b := setup(t, dir, func(context.Context, s3.ObjectCreated) error {
			tried <- struct{}{}
			return errors.New("not now")
		})
		b.put(t, "uploads/x", "12345")
		<-tried
	})
	b := setup(t, dir, nil)
	event := b.next(t)
	require.Equal(t, "uploads/x", event.Key)
	require.Equal(t, int64(5), event.Size)
}

func TestNewFailsWithBrokenChild(t *testing.T) {
	t.Parallel()
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "db"), 0o600, nil)
	require.NoError(t, err)
	defer db.Close()
	config := s3.Config{Dir: t.TempDir(), DB: db, Command: []string{filepath.Join(t.TempDir(), "nothing")}}
	_, err = s3.New(t.Context(), config)
	require.ErrorIs(t, err, os.ErrNotExist)

	endsAtOnce, err := exec.LookPath("true")
	require.NoError(t, err)
	config.Command = []string{endsAtOnce}
	_, err = s3.New(t.Context(), config)
	require.ErrorContains(t, err, "ended")
}

// childPIDs returns the processes that serve a folder.
func childPIDs(t *testing.T, dir string) []int {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	var found []int
	for _, line := range lines {
		raw, err := os.ReadFile(line)
		if err != nil || !strings.Contains(string(raw), childArgument+"\x00"+dir) {
			continue // it has ended, or is another program
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(line)))
		require.NoError(t, err)
		found = append(found, pid)
	}
	return found
}

func TestKilledChildIsRestarted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc to find the child")
	}
	dir := t.TempDir()
	b := setup(t, dir, nil)
	b.put(t, "uploads/before", "x")
	require.Equal(t, "uploads/before", b.next(t).Key)

	running := childPIDs(t, dir)
	require.Len(t, running, 1)
	child, err := os.FindProcess(running[0])
	require.NoError(t, err)
	require.NoError(t, child.Kill())

	// The SDK retries a 503, like any S3 client; the default of three attempts may be too few for a
	// start on a busy machine.
	require.Eventually(t, func() bool {
		out, err := b.client.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("uploads/before")})
		return err == nil && out.Body.Close() == nil
	}, 2*time.Minute, 50*time.Millisecond)
	b.put(t, "uploads/after", "x")
	require.Equal(t, "uploads/after", b.next(t).Key)
	require.Empty(t, b.events)
}
