package submit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity/order"
	"github.com/loadbay/loadbay/shared/entity/result"
	"github.com/loadbay/loadbay/shared/entity/user"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// fullRequest returns a request with a file that refers to everything that the database is asked for:
// a context, an import to retry, a calculator of the organisation and a profile.
func (b *bundle) fullRequest(t *testing.T) submit.Request {
	t.Helper()
	b.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (11, 1, 'Race')`)
	b.Exec(t, `INSERT INTO points_calculators (organisation_id, code, class_name, definition) VALUES (1, 'CLUB', 'org.example.Club', '{}')`)
	p := &profile.Profile{
		ID: "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4", OrganisationID: 1, ImportType: "RESULT",
		Version: profile.Version{Number: 1, Name: "Timing", Mapping: []byte(`{"source":{"encoding":"windows-1252"}}`)},
	}
	require.NoError(t, b.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, err := b.DB.CreateProfile(t.Context(), tx, p, "")
		return err
	}))
	event := int64(11)
	r := submit.Request{
		OrganisationID: 1, RequestID: "r", Endpoint: "test", Type: result.New().Declaration(), ContextID: &event,
		File: submit.File{Name: "results.csv", ContentType: "text/csv", Body: []byte("Category,Sequence\n")},
	}
	first, err := b.service.Accept(t.Context(), r)
	require.NoError(t, err)
	b.Exec(t, `UPDATE import_jobs SET status = 'COMPLETED', completed_at = now()`)
	r.RetryOf, r.Profile, r.Options = first.Job.ID, "Timing", []byte(`{"pointsCalculator":"org.example.Club"}`)
	return r
}

func TestAcceptedJobHasProfileAndResolvedOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.fullRequest(t)
	b.Exec(t, `INSERT INTO organisation_settings (organisation_id, review, max_errors, date_order) VALUES (1, 'always', '7', 'dmy')`)
	a, err := b.service.Accept(t.Context(), r)
	require.NoError(t, err)
	j := b.job(t, job.Ref{JobID: a.Job.ID, OrganisationID: 1})
	require.JSONEq(t, `{"pointsCalculator":"CLUB","encoding":"windows-1252","assume":{"dateOrder":"dmy"}}`, string(j.Options))
	require.Equal(t, "Timing", j.Profile.Name)
	require.Equal(t, r.RetryOf, j.RetryOf)
	require.Equal(t, job.ReviewAlways, j.Review)
	require.Equal(t, job.ErrorLimit("7"), j.MaxErrors)
}

// TestFirstErrorIsReported corrects a request with several errors one after the other.
func TestFirstErrorIsReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	valid := b.fullRequest(t)
	b.announced(t)
	b.Exec(t, `UPDATE organisations SET max_open_imports = 1 WHERE id = 1`)

	unknown := int64(99)
	r := valid
	r.ContextID, r.RetryOf, r.Profile, r.Options = &unknown, "00000000-0000-7000-8000-000000000000", "Unknown", []byte(`{"pointsCalculator":"Unknown"}`)
	r.Notify = []string{"a@example.org"}
	for _, step := range []struct {
		code    problem.Code
		field   string
		correct func()
	}{
		{problem.NotFound, "contextId", func() { r.ContextID = valid.ContextID }},
		{problem.NotFound, "retryOf", func() { r.RetryOf = valid.RetryOf }},
		{problem.OptionInvalid, "pointsCalculator", func() { r.Options = valid.Options }},
		{problem.ProfileUnknown, "profile", func() { r.Profile = valid.Profile }},
		{problem.ParameterInvalid, "notify", func() { r.Notify = nil }},
		{problem.QuotaOpenImports, "", func() { b.Exec(t, `UPDATE organisations SET max_open_imports = 2 WHERE id = 1`) }},
	} {
		_, err := b.service.Accept(t.Context(), r)
		var p *problem.Error
		require.ErrorAs(t, err, &p)
		require.Equal(t, step.code, p.Code)
		if step.field != "" {
			require.Len(t, p.Fields, 1)
			require.Equal(t, step.field, p.Fields[0].Field)
		}
		require.Equal(t, int64(2), postgrestest.Query[int64](t, b.Database, `SELECT count(*) FROM import_jobs`))
		step.correct()
	}
	_, err := b.service.Accept(t.Context(), r)
	require.NoError(t, err)
}

// transactionCounter counts the transactions of a service: those that wrote, by the database's
// account, and those that only read.
type transactionCounter struct {
	*postgres.DB
	reads, writes int
}

func (c *transactionCounter) InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error {
	return c.DB.InOrganisation(ctx, organisation, c.counting(ctx, f))
}

func (c *transactionCounter) InSnapshot(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error {
	return c.DB.InSnapshot(ctx, organisation, c.counting(ctx, f))
}

// counting returns f followed by the count. Postgres assigns an ID to a transaction that writes or
// locks.
func (c *transactionCounter) counting(ctx context.Context, f func(pgx.Tx) error) func(pgx.Tx) error {
	return func(tx pgx.Tx) error {
		outcome := f(tx)
		var wrote bool
		if err := tx.QueryRow(ctx, `SELECT pg_current_xact_id_if_assigned() IS NOT NULL`).Scan(&wrote); err != nil {
			return errors.Join(outcome, err)
		}
		if wrote {
			c.writes++
		} else {
			c.reads++
		}
		return outcome
	}
}

func (c *transactionCounter) requireCounts(t *testing.T, reads, writes int) {
	t.Helper()
	require.Equal(t, []int{reads, writes}, []int{c.reads, c.writes}, "transactions that read, and that write")
}

type fetchQueue struct{}

func (fetchQueue) SendFetch(context.Context, job.Ref) error { return nil }

func TestAcceptedUploadTakesTwoTransactions(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]func(*submit.Request){
		"file in the request": func(*submit.Request) {},
		"file in the bucket": func(r *submit.Request) {
			r.File.Body, r.File.Size = nil, 10
			r.Object = &submit.Object{JobID: "5d5ba4a5-0b8a-5d3c-9a58-7f6fbd0a9c11", Key: "drop/1/RESULT/11/results.csv"}
		},
		"file still to come": func(r *submit.Request) { r.File.Body, r.File.Size = nil, 10 },
		"file to fetch":      func(r *submit.Request) { r.File, r.SourceURL = submit.File{}, "https://example.org/results.csv" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			r := b.fullRequest(t)
			from(&r)
			counter := &transactionCounter{DB: b.DB}
			_, err := b.serviceOn(t, counter).WithFetching(fetchQueue{}).Accept(t.Context(), r)
			require.NoError(t, err)
			counter.requireCounts(t, 1, 1)
		})
	}
}

// A file that exceeds the quota is rejected before it is stored, and nobody waits for a lock.
func TestUploadBeyondQuotaTakesOneTransaction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.fullRequest(t)
	b.Exec(t, `UPDATE organisations SET max_open_imports = 0 WHERE id = 1`)
	counter := &transactionCounter{DB: b.DB}
	_, err := b.serviceOn(t, counter).Accept(t.Context(), r)
	require.Equal(t, problem.QuotaOpenImports, problem.CodeOf(err))
	counter.requireCounts(t, 1, 0)
}

// deadlockStore fails to create the first job because of a deadlock.
type deadlockStore struct {
	*postgres.DB
	attempts int
}

func (s *deadlockStore) CreateJob(ctx context.Context, tx pgx.Tx, j *job.Job) (*job.Job, error) {
	if s.attempts++; s.attempts == 1 {
		return nil, fmt.Errorf("create job %s: %w", j.ID, &pgconn.PgError{Code: "40P01"})
	}
	return s.DB.CreateJob(ctx, tx, j)
}

func TestJobIsCreatedAfterDeadlock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := &deadlockStore{DB: b.DB}
	a, err := b.serviceOn(t, store).Accept(t.Context(), request())
	require.NoError(t, err)
	require.Equal(t, 2, store.attempts)
	require.Equal(t, int64(10), b.job(t, job.Ref{JobID: a.Job.ID, OrganisationID: 1}).SizeBytes)
}

func (s *deadlockStore) CreateExport(ctx context.Context, tx pgx.Tx, e *job.Export) (*job.Export, error) {
	s.attempts++
	if s.attempts == 1 {
		return nil, fmt.Errorf("create export %s: %w", e.ID, &pgconn.PgError{Code: "40P01"})
	}
	return s.DB.CreateExport(ctx, tx, e)
}

type exportQueue struct{}

func (exportQueue) SendExport(context.Context, job.ExportRef) error { return nil }

type noKeys struct{ submit.IdempotencyKeys }

func TestExportIsCreatedAfterDeadlock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := &deadlockStore{DB: b.DB}
	exports, err := submit.NewExports(store, exportQueue{}, noKeys{}, limits().Quotas, telemetry.NewLogger(io.Discard, nil))
	require.NoError(t, err)
	accepted, err := exports.Accept(t.Context(), submit.ExportRequest{OrganisationID: 1, RequestID: "r", Type: user.New().Declaration(), Format: "csv"})
	require.NoError(t, err)
	require.Equal(t, 2, store.attempts)
	require.NotNil(t, accepted.Export)
}

// TestSenderOfObjectHasContributed: nobody behind a dropped file is somebody else who may approve it.
func TestSenderOfObjectHasContributed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	accepted, err := b.service.Accept(t.Context(), submit.Request{
		OrganisationID: 1, RequestID: "r", Endpoint: "drop", Type: user.New().Declaration(), Uploader: "drop", Contributors: []string{"111122223333", "ann"},
		File:   submit.File{Name: "users.csv", ContentType: "text/csv", Size: 10},
		Object: &submit.Object{JobID: "03a1f9e7-1bde-7bf8-ac8c-500f93581dd4", Key: "drop/1/USER/-/users.csv", ETag: "e1"},
	})
	require.NoError(t, err)
	require.NoError(t, b.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		for name, contributed := range map[string]bool{"111122223333": true, "ann": true, "drop": true, "ben": false} {
			has, err := b.DB.HasContributed(t.Context(), tx, accepted.Job.Key, name)
			require.NoError(t, err)
			require.Equal(t, contributed, has, name)
		}
		return nil
	}))
}

// TestRepeatedObjectReturnsUndoneImport: a repeated event of the same version of an object returns its
// import, also if the organisation would reject it by now; another version makes another import.
func TestRepeatedObjectReturnsUndoneImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := submit.Request{
		OrganisationID: 1, RequestID: "r", Endpoint: "drop", Type: order.New().Declaration(), OncePerFile: true, Uploader: "drop",
		File:   submit.File{Name: "orders.csv", ContentType: "text/csv", Size: 10, SHA256: strings.Repeat("ab", 32)},
		Object: &submit.Object{JobID: "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4", Key: "drop/1/ORDER/-/orders.csv", ETag: "e1"},
	}
	first, err := b.service.Accept(t.Context(), r)
	require.NoError(t, err)
	b.Exec(t, `UPDATE import_jobs SET status = 'COMPLETED', started_at = now(), completed_at = now(), undo_until = now() + interval '1 day', created_count = 1, total_rows = 1`)
	another := r
	another.Object = &submit.Object{JobID: "02a1f9e7-1bde-7bf8-ac8c-500f93581dd4", Key: r.Object.Key, ETag: "e1"}
	_, err = b.service.Accept(t.Context(), another)
	require.Equal(t, problem.FileRepeated, problem.CodeOf(err))

	require.NoError(t, b.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		require.NoError(t, b.DB.AddChanges(t.Context(), tx, first.Job, 0, []changeset.Change{{
			Row: 2, Table: "orders", ID: "1", Op: changeset.Updated, Columns: []string{"client_id"}, Before: []*string{new("8")}, After: []*string{new("7")},
		}}))
		return nil
	}))
	back, err := b.service.Undo(t.Context(), submit.UndoRequest{Ref: job.Ref{JobID: first.Job.ID, OrganisationID: 1}, RequestID: "r", Mode: undo.Safe})
	require.NoError(t, err)
	_, err = b.service.Accept(t.Context(), another)
	require.Equal(t, problem.UndoRunning, problem.CodeOf(err), "the file can be imported when the undo has ended")
	b.Exec(t, `UPDATE import_jobs SET updated_count = 1 WHERE id = $1`, back.Job.Key)
	require.NoError(t, b.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		for _, to := range []job.Status{job.Processing, job.Completed} {
			_, moved, err := b.DB.Transition(t.Context(), tx, back.Job.Key, job.Transition{To: to})
			require.NoError(t, err)
			require.True(t, moved)
		}
		return nil
	}))

	r.Options = []byte(`{"encoding":"klingon"}`) // the settings were changed in the meantime
	again, err := b.service.Accept(t.Context(), r)
	require.NoError(t, err)
	require.True(t, again.Repeated)
	require.Equal(t, first.Job.ID, again.Job.ID)
	require.Equal(t, &job.RevertedBy{JobID: back.Job.ID, Complete: true}, again.Job.Undone)
	second, err := b.service.Accept(t.Context(), another)
	require.NoError(t, err)
	require.Equal(t, another.Object.JobID, second.Job.ID)
	require.False(t, second.Repeated)
}
