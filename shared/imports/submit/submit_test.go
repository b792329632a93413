package submit_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/user"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// limits returns the limits of the design.
func limits() submit.Limits {
	return submit.Limits{FileBytes: 500 << 20, MultipartAbove: 100 << 20, PartBytes: 16 << 20, UploadLifetime: time.Hour,
		Quotas: quota.Limits{OpenImports: 100, AnnouncedBytes: 20 << 30, OpenExports: 20, Streams: 2, RequestsPerMinute: 100}}
}

// bundle is the service on a real database, with fakes of the cloud services.
type bundle struct {
	*postgrestest.Database
	service *submit.Service
	objects *objects
	starter *starter
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Database: postgrestest.Setup(t), objects: &objects{sizes: make(map[string]int64)}, starter: &starter{}}
	b.service = b.serviceOn(t, b.DB)
	return b
}

// serviceOn returns the service with another store.
func (b *bundle) serviceOn(t *testing.T, store submit.Store) *submit.Service {
	t.Helper()
	log := telemetry.NewLogger(io.Discard, nil)
	s, err := submit.New(store, b.objects, b.starter, nil,
		telemetry.NewTransitions(log, telemetry.NewMetrics(io.Discard)), limits(), log)
	require.NoError(t, err)
	return s
}

// announced creates a job of organisation 1 with a file of 10 bytes that is still to be uploaded.
func (b *bundle) announced(t *testing.T) job.Ref {
	t.Helper()
	a, err := b.service.Accept(t.Context(), request())
	require.NoError(t, err)
	require.NotNil(t, a.Upload)
	return job.Ref{JobID: a.Job.ID, OrganisationID: 1}
}

func request() submit.Request {
	return submit.Request{
		OrganisationID: 1, RequestID: "r", Endpoint: "test", Type: user.New().Declaration(),
		File: submit.File{Name: "users.csv", ContentType: "text/csv", Size: 10},
	}
}

func (b *bundle) job(t *testing.T, ref job.Ref) *job.Job {
	t.Helper()
	j, err := b.DB.JobStatus(t.Context(), ref.OrganisationID, ref.JobID)
	require.NoError(t, err)
	return j
}

func TestHandleUploaded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ref := b.announced(t)
	b.objects.store(ref, 10)
	require.NoError(t, b.service.HandleUploaded(t.Context(), ref))
	require.NotNil(t, b.job(t, ref).UploadedAt)
	require.Equal(t, []job.Ref{ref}, b.starter.started)
}

// TestUploadedTwice: events are delivered at least once. Starting again is harmless while the
// job is in its first status, and necessary if its first start was lost.
func TestUploadedTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ref := b.announced(t)
	b.objects.store(ref, 10)
	b.starter.fail = errors.New("throttled")
	require.ErrorContains(t, b.service.HandleUploaded(t.Context(), ref), "throttled")
	b.starter.fail = nil
	require.NoError(t, b.service.HandleUploaded(t.Context(), ref))
	require.Equal(t, []job.Ref{ref}, b.starter.started, "a lost start is repeated")

	b.Exec(t, `UPDATE import_jobs SET status = 'PROCESSING'`)
	require.NoError(t, b.service.HandleUploaded(t.Context(), ref))
	b.Exec(t, `UPDATE import_jobs SET status = 'CANCELLED', completed_at = now()`)
	require.NoError(t, b.service.HandleUploaded(t.Context(), ref))
	require.Len(t, b.starter.started, 1, "a job with progress is not started again")
}

func TestUploadedSizeMismatch(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int64{"less": 9, "more": 11, "nothing": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ref := b.announced(t)
			b.objects.store(ref, size)
			useless, err := b.service.HandleCreated(t.Context(), ref)
			require.NoError(t, err)
			require.Equal(t, size, useless.Size)
			j := b.job(t, ref)
			require.Equal(t, job.Failed, j.Status)
			require.Equal(t, "SIZE_MISMATCH", j.Failure.Code)
			require.Contains(t, j.Failure.Message, "10 bytes")
			require.Empty(t, b.starter.started)
			require.NoError(t, b.service.HandleUploaded(t.Context(), ref), "again")
		})
	}
}

// TestUploadedWithoutWaitingJob: the object's job is not created yet (the API stores the
// object first), was deleted, or belongs to another organisation.
func TestUploadedWithoutWaitingJob(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ref := b.announced(t)
	b.objects.store(ref, 10)
	stranger := job.Ref{JobID: ref.JobID, OrganisationID: 2}
	b.objects.store(stranger, 10)
	unknown := job.Ref{JobID: "00000000-0000-7000-8000-000000000000", OrganisationID: 1}
	b.objects.store(unknown, 10)
	require.NoError(t, b.service.HandleUploaded(t.Context(), stranger))
	require.NoError(t, b.service.HandleUploaded(t.Context(), unknown))
	require.Nil(t, b.job(t, ref).UploadedAt)
	require.Empty(t, b.starter.started)
}

func TestUploadedObjectIsGone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ref := b.announced(t)
	require.NoError(t, b.service.HandleUploaded(t.Context(), ref))
	require.Nil(t, b.job(t, ref).UploadedAt)
	b.objects.fail = errors.New("slow down")
	require.ErrorContains(t, b.service.HandleUploaded(t.Context(), ref), "slow down", "the event is retried")
}

func TestAcceptOfCancelledJobStartsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ref := b.announced(t)
	b.objects.store(ref, 10)
	b.Exec(t, `UPDATE import_jobs SET status = 'CANCELLED', completed_at = now()`)
	useless, err := b.service.HandleCreated(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, submit.SourceKey(1, ref.JobID), useless.Key, "the file of a cancelled import is not kept")
	require.Empty(t, b.starter.started)

	b.Exec(t, `UPDATE import_jobs SET uploaded_at = now()`)
	useless, err = b.service.HandleCreated(t.Context(), ref)
	require.NoError(t, err)
	require.Nil(t, useless, "a file that arrived before the cancellation is kept for its retention")
}

func TestSourceKey(t *testing.T) {
	t.Parallel()
	const id = "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	require.Equal(t, "uploads/7/"+id+"/source", submit.SourceKey(7, id))
	ref, ok := submit.ParseSourceKey("uploads/7/" + id + "/source")
	require.True(t, ok)
	require.Equal(t, job.Ref{JobID: id, OrganisationID: 7}, ref)
	for _, key := range []string{
		"", "uploads/", "uploads/7/" + id, "uploads/7/" + id + "/source/x", "uploads/7/" + id + "/other", "drop/7/" + id + "/source",
		"uploads/0/" + id + "/source", "uploads/-7/" + id + "/source", "uploads/+7/" + id + "/source", "uploads/07/" + id + "/source",
		"uploads/x/" + id + "/source", "uploads/7/x/source", "uploads/99999999999999999999/" + id + "/source",
	} {
		_, ok := submit.ParseSourceKey(key)
		require.False(t, ok, key)
	}
}

func TestInvalidLimitsAreRejected(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*submit.Limits){
		"no maximum file size":                    func(l *submit.Limits) { l.FileBytes = 0 },
		"no upload lifetime":                      func(l *submit.Limits) { l.UploadLifetime = 0 },
		"parts below 5 MiB":                       func(l *submit.Limits) { l.PartBytes = 5<<20 - 1 },
		"multipart threshold below the part size": func(l *submit.Limits) { l.MultipartAbove = l.PartBytes - 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := limits()
			change(&l)
			_, err := submit.New(nil, nil, nil, nil, nil, l, nil)
			require.ErrorContains(t, err, "limits")
		})
	}
}

// FuzzFilename checks that accepted filenames fit a log line, a header and a column of 255
// characters.
func FuzzFilename(f *testing.F) {
	for _, name := range []string{"a.csv", "../x", "a\x00", "\r\n", strings.Repeat("ü", 256), "\xff", "\u0085", " "} {
		f.Add(name)
	}
	s, err := submit.New(nil, nil, nil, nil, nil, limits(), nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, name string) {
		r := request()
		r.File.Name = name
		r.File.Size = 501 << 20 // rejected after the name check
		_, err := s.Accept(t.Context(), r)
		if problem.CodeOf(err) == problem.FileTooLarge {
			require.NotContains(t, name, "\x00")
			require.NotContains(t, name, "\n")
			require.NotContains(t, name, "\r")
			require.LessOrEqual(t, len([]rune(name)), 255)
			return
		}
		require.Equal(t, problem.FilenameInvalid, problem.CodeOf(err))
	})
}

type objects struct {
	mu    sync.Mutex
	sizes map[string]int64
	fail  error
}

func (o *objects) store(ref job.Ref, size int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sizes[submit.SourceKey(ref.OrganisationID, ref.JobID)] = size
}

func (o *objects) PutIfAbsent(context.Context, string, string, []byte) error { return nil }

func (o *objects) Head(_ context.Context, key string) (object.Info, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	size, ok := o.sizes[key]
	if o.fail != nil || ok {
		return object.Info{Size: size, ETag: `"e1"`}, o.fail
	}
	return object.Info{}, problem.New(problem.UploadMissing, "not there")
}

func (*objects) PresignPut(_ context.Context, key, _ string, _ int64, _ string, _ time.Duration) (object.Upload, error) {
	return object.Upload{Method: "PUT", URL: "https://bucket.example/" + key}, nil
}

func (*objects) StartMultipart(context.Context, string, string) (string, error) { return "", nil }

func (*objects) UploadedParts(context.Context, string, string) ([]object.Part, error) {
	return nil, nil
}

func (*objects) PresignParts(context.Context, string, string, []int64, time.Duration) (object.Parts, error) {
	return object.Parts{}, nil
}

func (*objects) CompleteMultipart(context.Context, string, string, int64) error { return nil }

type starter struct {
	mu      sync.Mutex
	started []job.Ref
	fail    error
}

func (s *starter) Start(_ context.Context, ref job.Ref) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail == nil {
		s.started = append(s.started, ref)
	}
	return s.fail
}

// TestExistingObjectHasOneJob announces an object twice, and again after its execution
// failed to start.
func TestExistingObjectHasOneJob(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := request()
	r.Object = &submit.Object{JobID: "5d5ba4a5-0b8a-5d3c-9a58-7f6fbd0a9c11", Key: "drop/1/USER/-/users.csv"}
	var ids []job.Key
	for range 2 {
		a, err := b.service.Accept(t.Context(), r)
		require.NoError(t, err)
		require.Nil(t, a.Upload)
		require.Equal(t, r.Object.Key, a.Job.ObjectKey)
		require.NotNil(t, a.Job.UploadedAt)
		ids = append(ids, a.Job.Key)
	}
	require.Equal(t, ids[0], ids[1])
	ref := job.Ref{JobID: r.Object.JobID, OrganisationID: 1}
	require.Equal(t, []job.Ref{ref, ref}, b.starter.started, "the second start is harmless")
}

func TestOrganisationExists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for id, want := range map[tenant.ID]bool{1: true, 999_999: false} {
		known, err := b.service.OrganisationExists(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, want, known)
	}
}
