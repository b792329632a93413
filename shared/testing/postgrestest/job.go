package postgrestest

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

// AddJob adds a job of organisation 1, an import of users, and applies the assignments to its
// row: "status = 'PROCESSING', chunk_total = 2".
func (d *Database) AddJob(t testing.TB, assignments string) *job.Job {
	t.Helper()
	id := job.ID(uuid.NewString())
	d.Exec(t, `
		INSERT INTO import_jobs (uuid, organisation_id, import_type, mode, original_filename, object_key, size_bytes, request_id)
		VALUES ($1, 1, 'USER', 'insert', 'users.csv', $2, 1, $3)`, id, "uploads/1/"+string(id)+"/source", "request of "+string(id))
	d.Exec(t, `UPDATE import_jobs SET `+assignments+` WHERE uuid = $1`, id)
	return d.ReadJob(t, id)
}

// ReadJob returns the current state of a job of organisation 1.
func (d *Database) ReadJob(t testing.TB, id job.ID) *job.Job {
	t.Helper()
	var j *job.Job
	require.NoError(t, d.DB.InOrganisation(context.Background(), 1, func(tx pgx.Tx) (err error) {
		j, err = d.DB.Job(context.Background(), tx, id)
		return err
	}))
	return j
}
