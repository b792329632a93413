package export_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/export"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// bucket stores one object.
type bucket struct {
	file    bytes.Buffer
	state   string // "", "complete", "aborted"
	onWrite func()
	fail    error
}

func (*bucket) Open(context.Context, object.Version) sheet.Source { panic("no import is read") }

func (b *bucket) Create(context.Context, string, string) object.Writer { return b }

func (b *bucket) Write(p []byte) (int, error) {
	if b.onWrite != nil {
		b.onWrite()
	}
	if b.fail != nil {
		return 0, b.fail
	}
	return b.file.Write(p)
}
func (b *bucket) Size() int64               { return int64(b.file.Len()) }
func (b *bucket) Complete() error           { b.state = "complete"; return nil }
func (b *bucket) Abort(because error) error { b.state = "aborted"; return because }

type harness struct {
	*postgrestest.Database
	*bucket
	step *export.Step
	log  bytes.Buffer
}

// setup adds the given number of users with insignificant names.
func setup(t *testing.T, users int) *harness {
	t.Helper()
	b := &harness{Database: postgrestest.Setup(t), bucket: &bucket{}}
	b.Exec(t, `INSERT INTO users (organisation_id, email, name) SELECT 1, n || '@x.org', 'secret name' FROM generate_series(1, $1::int) AS n`, users)
	b.step = export.New(b.DB, b.bucket, catalog.New(), slog.New(slog.NewTextHandler(&b.log, nil)))
	return b
}

func (b *harness) create(t *testing.T, change func(*job.Export)) job.ExportRef {
	t.Helper()
	e := &job.Export{ID: job.ExportID(uuid.NewString()), OrganisationID: 1, ImportType: "USER", Format: "csv", Filters: []byte("{}"), ObjectKey: "exports/1/x", RequestID: "r"}
	if change != nil {
		change(e)
	}
	b.inOrganisation(t, func(tx pgx.Tx) error {
		_, err := b.DB.CreateExport(t.Context(), tx, e)
		return err
	})
	return job.ExportRef{ExportID: e.ID, OrganisationID: 1}
}

func (b *harness) inOrganisation(t *testing.T, f func(pgx.Tx) error) {
	t.Helper()
	require.NoError(t, b.DB.InOrganisation(context.Background(), 1, f))
}

func (b *harness) export(t *testing.T, ref job.ExportRef) (e *job.Export) {
	t.Helper()
	b.inOrganisation(t, func(tx pgx.Tx) (err error) {
		e, err = b.DB.Export(context.Background(), tx, ref.ExportID)
		return err
	})
	return e
}

func TestAllRowsAreWrittenAcrossFetches(t *testing.T) {
	t.Parallel()
	b := setup(t, 4500)
	ref := b.create(t, nil)
	require.NoError(t, b.step.Run(t.Context(), ref))
	require.Equal(t, "complete", b.state)
	require.Equal(t, 4501, strings.Count(b.file.String(), "\r\n"))
	e := b.export(t, ref)
	require.Equal(t, job.ExportCompleted, e.Status)
	require.EqualValues(t, 4500, e.Records)
	require.Equal(t, b.Size(), e.SizeBytes)
	require.NotNil(t, e.CompletedAt)
	require.NotContains(t, b.log.String(), "secret")

	size := b.Size()
	require.NoError(t, b.step.Run(t.Context(), ref), "a second delivery is harmless")
	require.Equal(t, size, b.Size())
}

func TestCancelledExportLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, 41_000)
	ref := b.create(t, nil)
	cancelled := false
	b.onWrite = func() {
		if cancelled {
			return
		}
		cancelled = true
		b.inOrganisation(t, func(tx pgx.Tx) error {
			_, err := b.DB.EndExport(context.Background(), tx, ref.ExportID, job.ExportCancelled, nil)
			return err
		})
	}
	require.NoError(t, b.step.Run(t.Context(), ref))
	require.Equal(t, "aborted", b.state)
	require.Equal(t, job.ExportCancelled, b.export(t, ref).Status)
	require.Less(t, strings.Count(b.file.String(), "\n"), 25_000)
}

func TestExportErrorEndsExport(t *testing.T) {
	t.Parallel()
	b := setup(t, 1)
	ref := b.create(t, func(e *job.Export) { e.Fields = []string{"gone"} })
	require.NoError(t, b.step.Run(t.Context(), ref))
	e := b.export(t, ref)
	require.Equal(t, job.ExportFailed, e.Status)
	require.Equal(t, string(problem.ParameterInvalid), e.Failure.Code)
}

func TestBucketFailureIsRetriedThenFails(t *testing.T) {
	t.Parallel()
	b := setup(t, 1)
	b.fail = errors.New("connection reset")
	ref := b.create(t, nil)
	require.ErrorContains(t, b.step.Run(t.Context(), ref), "connection reset")
	require.Equal(t, "aborted", b.state)
	require.Equal(t, job.ExportProcessing, b.export(t, ref).Status)
	require.NoError(t, b.step.Fail(t.Context(), ref))
	require.Equal(t, string(problem.ExportFailed), b.export(t, ref).Failure.Code)
}

func TestTimedOutExportIsNotRetried(t *testing.T) {
	t.Parallel()
	b := setup(t, 1)
	ref := b.create(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 14*time.Second) // less than cleanupReserve
	defer cancel()
	require.NoError(t, b.step.Run(ctx, ref))
	require.Equal(t, string(problem.ExportTooLarge), b.export(t, ref).Failure.Code)
}
