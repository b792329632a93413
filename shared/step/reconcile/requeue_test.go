package reconcile_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/reconcile"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// requeueHarness holds a database with exports and jobs, and the queues.
type requeueHarness struct {
	*postgrestest.Database
	requeuer    *reconcile.Requeuer
	exports     []job.ExportRef
	fetches     []job.Ref
	erasures    []job.ErasureRef
	deletions   []tenant.ID
	transitions []string
	fail        error
}

func setupRequeue(t *testing.T) *requeueHarness {
	t.Helper()
	d := &requeueHarness{Database: postgrestest.Setup(t)}
	d.requeuer = reconcile.NewRequeuer(d.Maintenance, reconcile.Queues{Exports: d, Fetches: d, Erasures: d}, d, reconcile.Config{Limit: 10}, telemetry.NewLogger(io.Discard, slog.LevelInfo))
	return d
}

func (d *requeueHarness) SendExport(_ context.Context, ref job.ExportRef) error {
	d.exports = append(d.exports, ref)
	return d.fail
}

func (d *requeueHarness) SendFetch(_ context.Context, ref job.Ref) error {
	d.fetches = append(d.fetches, ref)
	return d.fail
}

func (d *requeueHarness) StartErasure(_ context.Context, ref job.ErasureRef) error {
	d.erasures = append(d.erasures, ref)
	return d.fail
}

func (d *requeueHarness) StartDeletion(_ context.Context, organisation tenant.ID) error {
	d.deletions = append(d.deletions, organisation)
	return d.fail
}

func (d *requeueHarness) Record(_ context.Context, _ *job.Job, from, to job.Status) {
	d.transitions = append(d.transitions, string(from)+" "+string(to))
}

// addExport adds an export of an organisation and applies the assignments to it.
func (d *requeueHarness) addExport(t *testing.T, organisation tenant.ID, assignments string) job.ExportRef {
	t.Helper()
	ref := job.ExportRef{ExportID: job.ExportID(uuid.NewString()), OrganisationID: organisation}
	require.NoError(t, d.DB.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) error {
		_, err := d.DB.CreateExport(t.Context(), tx, &job.Export{
			ID: ref.ExportID, OrganisationID: organisation, ImportType: "USER", Format: "csv", Filters: []byte("{}"), ObjectKey: "k", RequestID: "r",
		})
		return err
	}))
	if assignments != "" {
		d.Exec(t, `UPDATE export_jobs SET `+assignments+` WHERE uuid = $1`, ref.ExportID)
	}
	return ref
}

func (d *requeueHarness) status(t *testing.T, ref job.ExportRef) string {
	t.Helper()
	return postgrestest.Query[string](t, d.Database, `SELECT status || ' ' || coalesce(failure_code, '') FROM export_jobs WHERE uuid = $1`, ref.ExportID)
}

const tenMinutes = "touched_at = now() - interval '10 minutes'"

func TestUnqueuedExportIsQueued(t *testing.T) {
	t.Parallel()
	d := setupRequeue(t)
	lost, foreign := d.addExport(t, 1, tenMinutes), d.addExport(t, 2, tenMinutes)
	d.addExport(t, 1, "")                                                        // just requested
	d.addExport(t, 1, "status = 'processing', "+tenMinutes)                      // being written
	d.addExport(t, 1, "requeues = 2, "+tenMinutes)                               // waiting behind others
	d.addExport(t, 1, "status = 'cancelled', completed_at = now(), "+tenMinutes) // cancelled
	silent := d.addExport(t, 1, "status = 'processing', touched_at = now() - interval '21 minutes'")
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.ElementsMatch(t, []job.ExportRef{lost, foreign, silent}, d.exports, "each export keeps its organisation")

	d.exports = nil
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.Empty(t, d.exports, "a requeued export is not requeued every minute")
	d.Exec(t, `UPDATE export_jobs SET `+tenMinutes+` - interval '1 minute'`)
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.Contains(t, d.exports, lost, "a requeued export that is lost is requeued again")
}

func TestExportQueueFailureIsRetried(t *testing.T) {
	t.Parallel()
	d := setupRequeue(t)
	d.addExport(t, 1, tenMinutes)
	d.addExport(t, 2, tenMinutes)
	d.fail = errors.New("slow down")
	require.ErrorContains(t, d.requeuer.Run(t.Context()), "slow down")
	require.Len(t, d.exports, 2, "one failure does not stop the other exports")
}

func TestLostExportEndsAfterADay(t *testing.T) {
	t.Parallel()
	d := setupRequeue(t)
	old := "created_at = now() - interval '25 hours'"
	lost := d.addExport(t, 1, old+", "+tenMinutes)
	touched := d.addExport(t, 1, old+", status = 'processing'")
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.Equal(t, "failed EXPORT_FAILED", d.status(t, lost))
	require.Equal(t, "processing ", d.status(t, touched))
	require.Empty(t, d.exports)
	require.Equal(t, "export.failed", postgrestest.Query[string](t, d.Database, `SELECT max(event_type) FROM webhook_deliveries`), "the webhook is notified")
}

// addFetch adds a job with a file to fetch.
func (d *requeueHarness) addFetch(t *testing.T, of, source string) job.Ref {
	t.Helper()
	j := d.AddJob(t, of)
	d.Exec(t, `INSERT INTO import_sources (job_id, organisation_id, url) VALUES ($1, $2, 'https://files.example/')`, j.Key, j.OrganisationID)
	d.Exec(t, `UPDATE import_sources SET `+source+` WHERE job_id = $1`, j.Key)
	return job.Ref{JobID: j.ID, OrganisationID: j.OrganisationID}
}

func TestUnqueuedFetchIsQueued(t *testing.T) {
	t.Parallel()
	d := setupRequeue(t)
	lost := d.addFetch(t, "uploaded_at = NULL", tenMinutes)
	d.addFetch(t, "uploaded_at = NULL", "touched_at = now()")
	d.addFetch(t, "uploaded_at = now()", tenMinutes)
	d.addFetch(t, "uploaded_at = NULL, status = 'CANCELLED', completed_at = now()", tenMinutes)
	d.AddJob(t, "uploaded_at = NULL") // its caller uploads the file
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.Equal(t, []job.Ref{lost}, d.fetches)
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.Len(t, d.fetches, 1, "a requeued fetch is not requeued every minute")
}

func TestUnfetchedFileFailsJobAfterADay(t *testing.T) {
	t.Parallel()
	d := setupRequeue(t)
	lost := d.addFetch(t, "uploaded_at = NULL, created_at = now() - interval '25 hours'", tenMinutes)
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.Empty(t, d.fetches)
	require.Equal(t, []string{"UPLOADED FAILED"}, d.transitions)
	j, err := d.DB.JobStatus(t.Context(), 1, lost.JobID)
	require.NoError(t, err)
	require.Equal(t, "FETCH_FAILED", j.Failure.Code)
}

// addErasure adds a person of an organisation and begins their erasure.
func (d *requeueHarness) addErasure(t *testing.T, organisation tenant.ID, person int64, touched string) job.ErasureRef {
	t.Helper()
	d.Exec(t, `INSERT INTO person_erasures (organisation_id, person_id, traces, place) VALUES ($1, $2, '{}', '{}')`, organisation, person)
	d.Exec(t, `UPDATE person_erasures SET `+touched+` WHERE person_id = $1`, person)
	return job.ErasureRef{OrganisationID: organisation, PersonID: person}
}

func TestStuckErasureIsQueued(t *testing.T) {
	t.Parallel()
	d := setupRequeue(t)
	lost, foreign := d.addErasure(t, 1, 11, tenMinutes), d.addErasure(t, 2, 12, tenMinutes)
	d.addErasure(t, 1, 13, "touched_at = now()")        // in progress
	d.addErasure(t, 1, 14, "requeues = 2, "+tenMinutes) // waiting in the queue
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.ElementsMatch(t, []job.ErasureRef{lost, foreign}, d.erasures, "each erasure keeps its organisation")
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.Len(t, d.erasures, 2, "a requeued erasure is not requeued every minute")

	d.erasures, d.fail = nil, errors.New("slow down")
	d.Exec(t, `UPDATE person_erasures SET touched_at = now() - interval '1 day'`)
	require.ErrorContains(t, d.requeuer.Run(t.Context()), "slow down")
	require.Len(t, d.erasures, 4, "one failure does not stop the other erasures")
}

// reconcile requeues an erasure without reading the person's data.
func TestReconcileSeesNoErasedPerson(t *testing.T) {
	t.Parallel()
	d := setupRequeue(t)
	d.addErasure(t, 1, 11, tenMinutes)
	for _, column := range []string{"traces", "place", "changes"} {
		err := d.Maintenance.AcrossOrganisations(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `SELECT `+column+` FROM person_erasures`)
			return err
		})
		require.ErrorContains(t, err, "permission denied", column)
	}
	for _, statement := range []string{`DELETE FROM person_erasures`, `UPDATE person_erasures SET person_id = 1`, `INSERT INTO person_erasures (organisation_id, person_id, traces, place) VALUES (1, 2, '{}', '{}')`} {
		err := d.Maintenance.AcrossOrganisations(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), statement)
			return err
		})
		require.ErrorContains(t, err, "permission denied", statement)
	}
}

// Only confirmed deletions that are due are started: at once after the confirmation, and again if they
// make no progress.
func TestConfirmedDeletionIsStarted(t *testing.T) {
	t.Parallel()
	d := setupRequeue(t)
	d.Exec(t, `INSERT INTO organisation_deletions (organisation_id, requested_by, touched_at) VALUES (1, 'ada', now() - interval '1 day')`)
	d.Exec(t, `INSERT INTO organisation_deletions (organisation_id, confirmed_at, completed_at, touched_at) VALUES (2, now(), now(), now() - interval '1 day')`)
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.Empty(t, d.deletions, "not confirmed, and completed")
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error { return d.DB.ConfirmDeletion(t.Context(), tx, 1) }))
	due, err := nextDue(t, d)
	require.NoError(t, err)
	require.False(t, due.IsZero())
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.Equal(t, []tenant.ID{1}, d.deletions)
	d.Exec(t, `UPDATE organisation_deletions SET touched_at = now() - interval '11 minutes' WHERE organisation_id = 1`)
	require.NoError(t, d.requeuer.Run(t.Context()))
	require.Equal(t, []tenant.ID{1, 1}, d.deletions)
}

func nextDue(t *testing.T, d *requeueHarness) (due time.Time, err error) {
	t.Helper()
	err = d.Maintenance.AcrossOrganisations(t.Context(), func(tx pgx.Tx) (err error) {
		due, err = d.Maintenance.NextDue(t.Context(), tx)
		return err
	})
	return due, err
}
