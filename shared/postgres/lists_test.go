package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// A list of 20,000 imports reads only those that it shows: the three failed ones are the
// oldest, so a scan of all would find them last.
func TestJobListReadsOnlyItsPage(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	d.Exec(t, `
		INSERT INTO import_jobs (uuid, organisation_id, import_type, mode, original_filename, object_key, size_bytes, sha256, request_id,
			status, created_at, completed_at, batch_id, uploader, label)
		SELECT gen_random_uuid(), 1, CASE WHEN n BETWEEN 4 AND 6 THEN 'USER' ELSE 'ORDER' END, 'insert', 'f', 'k', 1, repeat('0', 56) || to_char(n, 'FM00000000'), 'r',
			CASE WHEN n <= 3 THEN 'FAILED' ELSE 'COMPLETED' END, '2026-01-01'::timestamptz + n * interval '1 minute', now(),
			'BU202601' || to_char(n, 'FM000000'), CASE WHEN n <= 3 THEN 'ben' ELSE 'ann' END, CASE WHEN n <= 3 THEN 'July' ELSE '' END
		FROM generate_series(1, 20000) AS n`)
	d.Exec(t, `VACUUM ANALYZE import_jobs`)
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	early := postgres.Period{From: first, Before: first.Add(4 * time.Minute)}
	for name, list := range map[string]func(tx pgx.Tx) (int, error){
		"by status": func(tx pgx.Tx) (int, error) {
			jobs, total, err := d.DB.Jobs(t.Context(), tx, postgres.JobFilter{Statuses: []job.Status{job.Failed}, Page: job.Page{Limit: 20}})
			require.Len(t, jobs, int(total))
			return len(jobs), err
		},
		"by time": func(tx pgx.Tx) (int, error) {
			jobs, total, err := d.DB.Jobs(t.Context(), tx, postgres.JobFilter{Created: early, Page: job.Page{Limit: 20}})
			require.Len(t, jobs, int(total))
			return len(jobs), err
		},
		"by type": func(tx pgx.Tx) (int, error) {
			jobs, _, err := d.DB.Jobs(t.Context(), tx, postgres.JobFilter{ImportType: "USER", Page: job.Page{Limit: 20}})
			return len(jobs), err
		},
		"by label": func(tx pgx.Tx) (int, error) {
			jobs, _, err := d.DB.Jobs(t.Context(), tx, postgres.JobFilter{Label: "July", Page: job.Page{Limit: 20}})
			return len(jobs), err
		},
		"by uploader": func(tx pgx.Tx) (int, error) {
			jobs, _, err := d.DB.Jobs(t.Context(), tx, postgres.JobFilter{Uploader: "ben", Page: job.Page{Limit: 20}})
			return len(jobs), err
		},
		"batches by status": func(tx pgx.Tx) (int, error) {
			f := postgres.BatchFilter{ImportType: "ORDER", Status: job.BatchFailed, Page: job.Page{Limit: 20}}
			total, err := d.DB.CountBatches(t.Context(), tx, f)
			require.NoError(t, err)
			batches, err := d.DB.Batches(t.Context(), tx, f)
			require.Len(t, batches, int(total))
			return len(batches), err
		},
		"batches by time": func(tx pgx.Tx) (int, error) {
			batches, err := d.DB.Batches(t.Context(), tx, postgres.BatchFilter{ImportType: "ORDER", Uploaded: early, Page: job.Page{Limit: 20}})
			return len(batches), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
				before := rowsRead(t, tx)
				found, err := list(tx)
				require.NoError(t, err)
				require.Equal(t, 3, found)
				require.LessOrEqual(t, rowsRead(t, tx)-before, int64(6), "each row is read once for the count and once for the page")
				return nil
			}))
		})
	}
}

// rowsRead returns the number of rows of import_jobs that the session has recently read.
func rowsRead(t *testing.T, tx pgx.Tx) (n int64) {
	t.Helper()
	require.NoError(t, tx.QueryRow(t.Context(), `
		SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = 'import_jobs'`).Scan(&n))
	return n
}
