package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/dbproxy"
	"github.com/loadbay/loadbay/shared/dbproxy/dbproxytest"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/fetch"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// harness holds a server, a bucket, and a recorder of started jobs.
type harness struct {
	*postgrestest.Database
	step      *fetch.Step
	served    string
	serverErr error // returned by the server
	bucketErr error // returned by the bucket
	requests  []string
	file      bytes.Buffer
	state     string
	arrived   []job.Ref
	later     []job.Ref
	onCopy    func()
	log       bytes.Buffer
}

func (w *harness) Copy(_ context.Context, address string, to io.Writer) (int64, error) {
	w.requests = append(w.requests, address)
	if w.onCopy != nil {
		w.onCopy()
	}
	n, err := io.WriteString(to, w.served)
	return int64(n), errors.Join(err, w.serverErr)
}
func (w *harness) SendFetchLater(_ context.Context, ref job.Ref, _ time.Duration) error {
	w.later = append(w.later, ref)
	return nil
}
func (w *harness) Create(context.Context, string, string) object.Writer { return w }
func (w *harness) Size() int64                                          { return int64(w.file.Len()) }
func (w *harness) Write(p []byte) (int, error)                          { return w.file.Write(p) }
func (w *harness) Complete() error {
	if w.bucketErr != nil {
		return w.bucketErr
	}
	w.state = "complete"
	return nil
}
func (w *harness) Abort(because error) error { w.state = "aborted"; return because }
func (w *harness) HandleUploaded(_ context.Context, ref job.Ref) error {
	w.arrived = append(w.arrived, ref)
	return nil
}

func setup(t *testing.T, served string) *harness {
	t.Helper()
	w := &harness{Database: postgrestest.Setup(t), served: served}
	log := telemetry.NewLogger(&w.log, slog.LevelDebug)
	books := fetch.NewStoreBackend(w.DB, w, telemetry.NewTransitions(log, telemetry.NewMetrics(io.Discard)), log)
	w.step = fetch.New(dbproxy.NewClient(dbproxytest.Function{Step: dbproxy.New(books, nil)}), w, w, w, log)
	return w
}

func (w *harness) create(t *testing.T) job.Ref {
	t.Helper()
	id := job.ID(uuid.NewString())
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		j, err := w.DB.CreateJob(t.Context(), tx, &job.Job{
			ID: id, OrganisationID: 1, ImportType: "USER", Mode: rowwrite.Insert, Filename: "u.csv", ObjectKey: "uploads/1/" + string(id), RequestID: "r", AutoStart: true,
		})
		if err != nil {
			return err
		}
		return w.DB.SaveSourceURL(t.Context(), tx, j, "https://files.example/u.csv?signature=secret")
	}))
	return job.Ref{JobID: id, OrganisationID: 1}
}

func (w *harness) job(t *testing.T, ref job.Ref) *job.Job {
	t.Helper()
	j, err := w.DB.JobStatus(t.Context(), 1, ref.JobID)
	require.NoError(t, err)
	return j
}

func TestFetchedFileStartsJob(t *testing.T) {
	t.Parallel()
	w := setup(t, "a,b\n")
	ref := w.create(t)
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Equal(t, []string{"https://files.example/u.csv?signature=secret"}, w.requests)
	require.Equal(t, "complete", w.state)
	require.EqualValues(t, 4, w.job(t, ref).SizeBytes, "the arrival of the object is checked against this size")
	require.Equal(t, []job.Ref{ref}, w.arrived)
	require.NotContains(t, w.log.String(), "secret")
}

// TestOrganisationFetchesFewFilesAtATime: a third file waits while two are being fetched.
func TestOrganisationFetchesFewFilesAtATime(t *testing.T) {
	t.Parallel()
	w := setup(t, "a,b\n")
	first, second, third := w.create(t), w.create(t), w.create(t)
	w.onCopy = func() {
		switch len(w.requests) {
		case 1:
			require.NoError(t, w.step.Run(t.Context(), second))
		case 2:
			require.NoError(t, w.step.Run(t.Context(), third))
		}
	}
	require.NoError(t, w.step.Run(t.Context(), first))
	require.Equal(t, []job.Ref{third}, w.later)
	require.Equal(t, []job.Ref{second, first}, w.arrived)
	w.onCopy = nil
	require.NoError(t, w.step.Run(t.Context(), third), "the slots are free again")
	require.Len(t, w.arrived, 3)
}

func TestFileErrorFailsJob(t *testing.T) {
	t.Parallel()
	for code, w := range map[problem.Code]*harness{
		problem.FileEmpty:    setup(t, ""),
		problem.URLForbidden: setup(t, "x"),
		problem.FetchTimeout: setup(t, "x"),
	} {
		if code != problem.FileEmpty {
			w.serverErr = problem.New(code, "fault of the server")
		}
		ref := w.create(t)
		require.NoError(t, w.step.Run(t.Context(), ref))
		j := w.job(t, ref)
		require.Equal(t, job.Failed, j.Status)
		require.Equal(t, string(code), j.Failure.Code)
		require.Equal(t, "aborted", w.state)
		require.Empty(t, w.arrived)
		require.NoError(t, w.step.Run(t.Context(), ref), "a second delivery is harmless")
		require.Len(t, w.requests, 1)
	}
}

func TestBucketFailureIsRetriedThenFails(t *testing.T) {
	t.Parallel()
	w := setup(t, "a,b\n")
	w.bucketErr = errors.New("slow down")
	ref := w.create(t)
	require.ErrorContains(t, w.step.Run(t.Context(), ref), "slow down")
	require.Equal(t, job.Uploaded, w.job(t, ref).Status)
	require.NoError(t, w.step.Fail(t.Context(), ref))
	require.Equal(t, string(problem.FetchFailed), w.job(t, ref).Failure.Code)
}

func TestEndedJobIsNotFetched(t *testing.T) {
	t.Parallel()
	w := setup(t, "a,b\n")
	ref := w.create(t)
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, _, err := w.DB.Transition(t.Context(), tx, w.job(t, ref).Key, job.Transition{To: job.Cancelled})
		return err
	}))
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.NoError(t, w.step.Run(t.Context(), job.Ref{JobID: job.ID(uuid.NewString()), OrganisationID: 1}))
	require.NoError(t, w.step.Fail(t.Context(), job.Ref{JobID: job.ID(uuid.NewString()), OrganisationID: 1}))
	require.Empty(t, w.requests)
	require.Equal(t, job.Cancelled, w.job(t, ref).Status)
}
