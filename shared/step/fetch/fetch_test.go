package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/dbproxy"
	"github.com/loadbay/loadbay/shared/dbproxy/dbproxytest"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/fetch"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// world is a server, a bucket and what starts jobs.
type world struct {
	*postgrestest.Database
	step    *fetch.Step
	served  string
	fault   error // of the server
	broken  error // of the bucket
	asked   []string
	file    bytes.Buffer
	state   string
	arrived []job.Ref
	log     bytes.Buffer
}

func (w *world) Copy(_ context.Context, address string, to io.Writer) (int64, error) {
	w.asked = append(w.asked, address)
	n, err := io.WriteString(to, w.served)
	return int64(n), errors.Join(err, w.fault)
}
func (w *world) Create(context.Context, string, string) object.Writer { return w }
func (w *world) Size() int64                                          { return int64(w.file.Len()) }
func (w *world) Write(p []byte) (int, error)                          { return w.file.Write(p) }
func (w *world) Complete() error {
	if w.broken != nil {
		return w.broken
	}
	w.state = "complete"
	return nil
}
func (w *world) Abort(because error) error { w.state = "aborted"; return because }
func (w *world) Arrived(_ context.Context, ref job.Ref) error {
	w.arrived = append(w.arrived, ref)
	return nil
}

func setup(t *testing.T, served string) *world {
	t.Helper()
	w := &world{Database: postgrestest.Setup(t), served: served}
	log := telemetry.NewLogger(&w.log, slog.LevelDebug)
	books := fetch.NewBooks(w.DB, w, telemetry.NewTransitions(log, telemetry.NewMetrics(io.Discard)), log)
	w.step = fetch.New(dbproxy.NewClient(dbproxytest.Inside{Step: dbproxy.New(books, nil)}), w, w, log)
	return w
}

func (w *world) create(t *testing.T) job.Ref {
	t.Helper()
	id := job.ID(uuid.NewString())
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		j, err := w.DB.CreateJob(t.Context(), tx, &job.Job{
			ID: id, OrganisationID: 1, ImportType: "USER", Mode: job.Insert, Filename: "u.csv", ObjectKey: "uploads/1/" + string(id), RequestID: "r", AutoStart: true,
		})
		if err != nil {
			return err
		}
		return w.DB.KeepSource(t.Context(), tx, j, "https://files.example/u.csv?signature=secret")
	}))
	return job.Ref{JobID: id, OrganisationID: 1}
}

func (w *world) job(t *testing.T, ref job.Ref) *job.Job {
	t.Helper()
	j, err := w.DB.JobStatus(t.Context(), 1, ref.JobID)
	require.NoError(t, err)
	return j
}

func TestTheFileIsStoredAndItsJobStarted(t *testing.T) {
	t.Parallel()
	w := setup(t, "a,b\n")
	ref := w.create(t)
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Equal(t, []string{"https://files.example/u.csv?signature=secret"}, w.asked)
	require.Equal(t, "complete", w.state)
	require.EqualValues(t, 4, w.job(t, ref).SizeBytes, "what the arrival of the object is held against")
	require.Equal(t, []job.Ref{ref}, w.arrived)
	require.NotContains(t, w.log.String(), "secret")
}

func TestWhatIsWrongWithTheFileFailsTheJob(t *testing.T) {
	t.Parallel()
	for code, w := range map[problem.Code]*world{
		problem.FileEmpty:    setup(t, ""),
		problem.URLForbidden: setup(t, "x"),
		problem.FetchTimeout: setup(t, "x"),
	} {
		if code != problem.FileEmpty {
			w.fault = problem.New(code, "fault of the server")
		}
		ref := w.create(t)
		require.NoError(t, w.step.Run(t.Context(), ref))
		j := w.job(t, ref)
		require.Equal(t, job.Failed, j.Status)
		require.Equal(t, string(code), j.Failure.Code)
		require.Equal(t, "aborted", w.state)
		require.Empty(t, w.arrived)
		require.NoError(t, w.step.Run(t.Context(), ref), "a second delivery")
		require.Len(t, w.asked, 1)
	}
}

func TestAFailureOfTheBucketIsTriedAgainAndGivenUp(t *testing.T) {
	t.Parallel()
	w := setup(t, "a,b\n")
	w.broken = errors.New("slow down")
	ref := w.create(t)
	require.ErrorContains(t, w.step.Run(t.Context(), ref), "slow down")
	require.Equal(t, job.Uploaded, w.job(t, ref).Status)
	require.NoError(t, w.step.GiveUp(t.Context(), ref))
	require.Equal(t, string(problem.FetchFailed), w.job(t, ref).Failure.Code)
}

func TestNothingIsFetchedForAJobThatIsCancelledOrGone(t *testing.T) {
	t.Parallel()
	w := setup(t, "a,b\n")
	ref := w.create(t)
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, _, err := w.DB.Transition(t.Context(), tx, w.job(t, ref).Key, job.Transition{To: job.Cancelled})
		return err
	}))
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.NoError(t, w.step.Run(t.Context(), job.Ref{JobID: job.ID(uuid.NewString()), OrganisationID: 1}))
	require.NoError(t, w.step.GiveUp(t.Context(), job.Ref{JobID: job.ID(uuid.NewString()), OrganisationID: 1}))
	require.Empty(t, w.asked)
	require.Equal(t, job.Cancelled, w.job(t, ref).Status)
}
