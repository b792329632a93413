package purge_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/purge"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// harness holds a database, and in memory everything else that jobs store.
type harness struct {
	*postgrestest.Database
	log, metrics *bytes.Buffer
	transitions  *telemetry.Transitions
	step         *purge.Step

	mu            sync.Mutex
	objects       map[string]bool
	deletedTokens map[string]tenant.ID // organisation by job
	stopped       []string
	onDelete      func(key string) error // called before an object is deleted
}

func setup(t *testing.T, change func(*purge.Config)) *harness {
	t.Helper()
	w := &harness{
		Database: postgrestest.Setup(t), log: &bytes.Buffer{}, metrics: &bytes.Buffer{},
		objects: map[string]bool{}, deletedTokens: map[string]tenant.ID{},
	}
	config := purge.Config{Ended: 7 * day, Waiting: 90 * day, Announced: 2 * day, Jobs: 2, Rows: 3, Timeout: 10 * time.Second}
	if change != nil {
		change(&config)
	}
	log, metrics := telemetry.NewLogger(w.log, slog.LevelInfo), telemetry.NewMetrics(w.metrics)
	w.transitions = telemetry.NewTransitions(log, metrics)
	var err error
	w.step, err = purge.New(w.Maintenance, w, w, w, w, w.transitions, metrics, config, log)
	require.NoError(t, err)
	return w
}

const day = 24 * time.Hour

type stubType struct{ declaration entity.Declaration }

func (k stubType) Declaration() *entity.Declaration { return &k.declaration }

// Types returns one type with the default retention and one with its own.
func (*harness) Types() []entity.Type {
	return []entity.Type{
		stubType{entity.Declaration{Name: "USER"}},
		stubType{entity.Declaration{Name: "BATCH", Retention: 180 * day}},
	}
}

func (w *harness) Delete(_ context.Context, key string) error {
	_, err := w.delete(func(k string) bool { return k == key })
	return err
}

func (w *harness) DeleteAll(_ context.Context, prefix string) (int, error) {
	return w.delete(func(k string) bool { return strings.HasPrefix(k, prefix) })
}

func (w *harness) delete(is func(string) bool) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key := range w.objects {
		if !is(key) {
			continue
		}
		if w.onDelete != nil {
			if err := w.onDelete(key); err != nil {
				return n, err
			}
		}
		delete(w.objects, key)
		n++
	}
	return n, nil
}

func (w *harness) DeleteJobs(_ context.Context, organisation tenant.ID, jobIDs []job.ID) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range jobIDs {
		w.deletedTokens[string(id)] = organisation
	}
	return nil
}

func (w *harness) Stop(_ context.Context, jobID job.ID, _ string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = append(w.stopped, string(jobID))
	return nil
}

// createdJob is a job as created by a test.
type createdJob struct {
	key  job.Key
	uuid string
}

// addAged adds a job that reached its status the given time ago, with two objects and six rows in
// other tables.
func (w *harness) addAged(t *testing.T, importType string, status job.Status, ago time.Duration) createdJob {
	t.Helper()
	c := createdJob{uuid: uuid.NewString()}
	ended := "NULL"
	if status.Terminal() {
		ended = "now() - make_interval(secs => $5)"
	}
	c.key = postgrestest.Query[job.Key](t, w.Database, `
		WITH created AS (
			INSERT INTO import_jobs (uuid, organisation_id, import_type, status, mode, original_filename, object_key, size_bytes, request_id, created_at, updated_at, completed_at)
			VALUES ($1, 1, $2, $3, 'insert', 'f.csv', $4, 1, 'test', now() - interval '10 years', now() - make_interval(secs => $5), `+ended+`)
			RETURNING id
		), columns AS (
			INSERT INTO import_column_mappings (job_id, organisation_id, column_index, source_header, status)
			SELECT id, 1, 0, 'A', 'IGNORED' FROM created
		), cells AS (
			INSERT INTO import_cell_mappings (job_id, organisation_id, target_field, source_value, status)
			SELECT id, 1, 'A', 'B', 'IGNORED' FROM created
		), chunks AS (
			INSERT INTO import_chunks (job_id, organisation_id, chunk_index, object_key, byte_offset, byte_length, first_row, line_count, row_count, crc32c)
			SELECT id, 1, 0, 'k', 0, 0, 2, 4, 4, 0 FROM created
		), results AS (
			INSERT INTO import_row_results (job_id, row_number, organisation_id, outcome, faults)
			SELECT id, n, 1, 'E', '[]' FROM created, generate_series(2, 4) AS n
		)
		SELECT id FROM created`, c.uuid, importType, status, "uploads/1/"+c.uuid+"/source", ago.Seconds())
	w.objects["uploads/1/"+c.uuid+"/source"], w.objects["chunks/1/"+c.uuid+"/000000"] = true, true
	return c
}

// exists reports whether the job is left with all of its data; it fails the test if only a part
// is left.
func (w *harness) exists(t *testing.T, c createdJob) bool {
	t.Helper()
	rows := postgrestest.Query[int](t, w.Database, `
		SELECT (SELECT count(*) FROM import_jobs WHERE id = $1) + (SELECT count(*) FROM import_column_mappings WHERE job_id = $1)
		     + (SELECT count(*) FROM import_cell_mappings WHERE job_id = $1) + (SELECT count(*) FROM import_chunks WHERE job_id = $1)
		     + (SELECT count(*) FROM import_row_results WHERE job_id = $1)`, c.key)
	objects := 0
	for key := range w.objects {
		if strings.Contains(key, c.uuid) {
			objects++
		}
	}
	_, forgotten := w.deletedTokens[c.uuid]
	if rows == 0 {
		require.Zero(t, objects)
		require.True(t, forgotten)
		return false
	}
	require.Equal(t, 7, rows)
	require.Equal(t, 2, objects)
	require.False(t, forgotten)
	return true
}

// confirm updates a waiting job as a person's decision does.
func (w *harness) confirm(t *testing.T, c createdJob) (ok bool) {
	t.Helper()
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) (err error) {
		_, ok, err = w.DB.Transition(t.Context(), tx, c.key, job.Transition{To: job.CellMapping, ExpectedFrom: job.ColumnMapping})
		return err
	}))
	return ok
}

func (w *harness) status(t *testing.T, c createdJob) job.Status {
	t.Helper()
	return job.Status(postgrestest.Query[string](t, w.Database, `SELECT status FROM import_jobs WHERE id = $1`, c.key))
}

var _ purge.Store = (*postgres.DB)(nil)
