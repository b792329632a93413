package postgres_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// TestJobStatusDoesNotLeakOrganisation: the organisation set in the pipeline must not remain
// set on the connection, which serves other callers next.
func TestJobStatusDoesNotLeakOrganisation(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	db, err := postgres.Open(t.Context(), postgres.Config{URL: d.AppURL, Connections: 1})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	id := job.ID(uuid.NewString())
	require.NoError(t, db.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, err := db.CreateJob(t.Context(), tx, &job.Job{
			ID: id, OrganisationID: 1, ImportType: "USER", Mode: rowwrite.Insert, Filename: "u.csv", ObjectKey: "k", RequestID: "r",
		})
		return err
	}))

	j, err := db.JobStatus(t.Context(), 1, id)
	require.NoError(t, err)
	require.Equal(t, id, j.ID)
	require.NoError(t, db.AcrossOrganisations(t.Context(), func(tx pgx.Tx) error {
		var visible int
		require.NoError(t, tx.QueryRow(t.Context(), `SELECT count(*) FROM import_jobs`).Scan(&visible))
		require.Zero(t, visible)
		return nil
	}))

	_, err = db.JobStatus(t.Context(), 2, id)
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
	_, err = db.JobStatus(t.Context(), 1, "")
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
	_, err = db.JobStatus(t.Context(), 1, id)
	require.NoError(t, err, "the connection is still usable")
}
