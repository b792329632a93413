package deletion_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/deletion"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// rowsPerTable is the number of rows that each table gets for each organisation, if it can have that many.
const rowsPerTable = 5

const (
	deletionTimeout = time.Minute
	deletionTick    = 20 * time.Millisecond
)

// bundle is a database in which every table has rows of the organisations 1 and 2, and a cloud in memory.
type bundle struct {
	*postgrestest.Database
	service *deletion.Service

	mu      sync.Mutex
	objects map[string]bool
	deleted []job.ID // of which the tokens were deleted
	keys    []tenant.ID
	stopped []job.ID
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Database: postgrestest.Setup(t), objects: make(map[string]bool)}
	for _, organisation := range []tenant.ID{1, 2} {
		for _, prefix := range deletion.Prefixes(organisation) {
			b.objects[prefix+"a"], b.objects[prefix+"b/c"] = true, true
		}
	}
	b.objects["uploads/11/a"] = true
	b.fill(t)
	var err error
	b.service, err = deletion.New(b.DB, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return b
}

// fill adds rows to every table that the catalogue lists with an organisation. Values are equal in the
// same row of all tables, so that references lead to existing rows.
func (b *bundle) fill(t *testing.T) {
	t.Helper()
	b.Exec(t, `
		DO $$
		DECLARE
			found record;
		BEGIN
			PERFORM set_config('session_replication_role', 'replica', true);
			FOR found IN SELECT conrelid::regclass AS of, conname FROM pg_constraint
				WHERE contype = 'c' AND connamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND conrelid <> 0 LOOP
				EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.of, found.conname);
			END LOOP;
			FOR found IN
				SELECT format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM generate_series(1, 2) AS org, generate_series(1, `+fmt.Sprint(rowsPerTable)+`) AS row,
					LATERAL (SELECT org * 1000 + row AS n) AS numbered ON CONFLICT DO NOTHING', c.oid::regclass,
					string_agg(quote_ident(attname), ', ' ORDER BY attnum), string_agg(CASE
						WHEN attname = 'organisation_id' THEN 'org'
						WHEN attname = 'status' AND relname = 'import_jobs' THEN $v$'COMPLETED'$v$
						WHEN attname = 'status' AND relname = 'export_jobs' THEN $v$'completed'$v$
						WHEN kind IN ('bigint', 'integer', 'numeric', 'real', 'double precision') THEN 'n'
						WHEN kind = 'smallint' THEN 'n'
						WHEN kind = 'uuid' THEN 'md5(n::text)::uuid'
						WHEN kind = 'boolean' THEN 'false'
						WHEN kind IN ('timestamp with time zone', 'date') THEN 'now()'
						WHEN kind = 'interval' THEN $v$interval '1 hour'$v$
						WHEN kind IN ('json', 'jsonb') OR kind LIKE '%[]' THEN $v$'{}'$v$
						WHEN kind = 'bytea' THEN $v$'\x00'$v$
						WHEN kind IN ('"char"', 'character') THEN $v$'A'$v$
						ELSE $v$'v' || n$v$ END, ', ' ORDER BY attnum)) AS sql
				FROM pg_class AS c
				JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
				CROSS JOIN LATERAL (SELECT CASE WHEN format_type(atttypid, NULL) LIKE 'numeric%' THEN 'numeric' ELSE format_type(atttypid, NULL) END) AS of (kind)
				WHERE relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND relkind = 'r' AND relname <> 'organisation_deletions'
				  AND EXISTS (SELECT FROM pg_attribute AS o WHERE o.attrelid = c.oid AND o.attname = 'organisation_id')
				GROUP BY c.oid
			LOOP
				EXECUTE found.sql;
			END LOOP;
		END $$`)
}

// count returns the numbers of rows of an organisation in every table that the catalogue lists.
func (b *bundle) count(t *testing.T, organisation tenant.ID) map[string]int64 {
	t.Helper()
	found := make(map[string]int64)
	tables := postgrestest.Query[[]string](t, b.Database, `
		SELECT array_agg(table_schema || '.' || table_name)
		FROM information_schema.columns
		JOIN information_schema.tables USING (table_schema, table_name)
		WHERE column_name = 'organisation_id' AND table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema') AND table_name <> 'organisation_deletions'`)
	require.Greater(t, len(tables), 40)
	for _, table := range tables {
		if n := postgrestest.Query[int64](t, b.Database, `SELECT count(*) FROM `+table+` WHERE organisation_id = $1`, organisation); n > 0 {
			found[table] = n
		}
	}
	if n := postgrestest.Query[int64](t, b.Database, `SELECT count(*) FROM organisations WHERE id = $1`, organisation); n > 0 {
		found["loadbay.organisations"] = n
	}
	return found
}

func (b *bundle) DeleteAll(_ context.Context, prefix string) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for key := range b.objects {
		if strings.HasPrefix(key, prefix) {
			delete(b.objects, key)
			n++
		}
	}
	return n, nil
}

func (b *bundle) DeleteJobs(_ context.Context, _ tenant.ID, ids []job.ID) error {
	b.deleted = append(b.deleted, ids...)
	return nil
}

func (b *bundle) DeleteIdempotencyKeys(_ context.Context, organisation tenant.ID) error {
	b.keys = append(b.keys, organisation)
	return nil
}

func (b *bundle) Stop(_ context.Context, id job.ID, _ string) error {
	b.stopped = append(b.stopped, id)
	return nil
}

// run continues the deletion of organisation 1 with steps of two rows.
func (b *bundle) run(t *testing.T, rows deletion.Rows) error {
	t.Helper()
	runner, err := deletion.NewRunner(rows, b, b, b, deletion.Config{Rows: 2}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return runner.Run(t.Context(), 1)
}

func (b *bundle) confirm(t *testing.T) {
	t.Helper()
	require.NoError(t, b.service.Request(t.Context(), 1, "ada"))
	require.NoError(t, b.service.Confirm(t.Context(), 1, "ada", "One"))
}

// All rows and files of the organisation are deleted, and counted in the receipt, and none of others. The
// tables are those of the catalogue, so this fails for a new table that a deletion does not reach.
func TestDeletionRemovesEverything(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before, others := b.count(t, 1), b.count(t, 2)
	require.Equal(t, len(before), len(others))
	require.GreaterOrEqual(t, before["sample.persons"], int64(rowsPerTable))
	b.confirm(t)
	require.NoError(t, b.run(t, b.DB))

	require.Empty(t, b.count(t, 1))
	require.Equal(t, others, b.count(t, 2))
	d, name, err := b.service.State(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, before, d.Rows)
	require.EqualValues(t, 2*len(deletion.Prefixes(1)), d.Objects)
	require.NotNil(t, d.CompletedAt)
	require.Empty(t, name)
	require.Empty(t, d.RequestedBy, "the receipt names nobody")
	require.Len(t, b.objects, 2*len(deletion.Prefixes(2))+1)
	require.Len(t, b.deleted, rowsPerTable)
	require.Contains(t, b.keys, tenant.ID(1))
	require.NoError(t, b.run(t, b.DB), "a repeated run changes nothing")
}

var errKilled = errors.New("killed")

// mortal is a database of which a process uses one transaction more each time before it is killed:
// before or after the commit of the last.
type mortal struct {
	*postgres.DB
	left      int
	committed bool
}

func (m *mortal) InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error {
	m.left--
	last := m.left <= 0
	err := m.DB.InOrganisation(ctx, organisation, func(tx pgx.Tx) error {
		if err := f(tx); err != nil || !last || m.committed {
			return err
		}
		return errKilled
	})
	if err == nil && last {
		return errKilled
	}
	return err
}

// A deletion that is killed around every commit is exact in the end.
func TestKilledDeletionIsResumed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.count(t, 1)
	b.confirm(t)
	runs := 0
	for completed := false; !completed; runs++ {
		require.Less(t, runs, 500)
		err := b.run(t, &mortal{DB: b.DB, left: 3 + runs, committed: runs%2 == 0})
		if err != nil {
			require.ErrorIs(t, err, errKilled)
		}
		d, _, err := b.service.State(t.Context(), 1)
		require.NoError(t, err)
		completed = d.CompletedAt != nil
	}
	require.Greater(t, runs, 10)
	require.Empty(t, b.count(t, 1))
	d, _, err := b.service.State(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, before, d.Rows)
}

// What runs is stopped first. An import that is about to complete is waited for.
func TestDeletionEndsWork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `UPDATE import_jobs SET status = 'PROCESSING', completed_at = NULL WHERE id = 1001`)
	b.Exec(t, `UPDATE import_jobs SET status = 'PROCESSING', completed_at = NULL, split_complete = true, chunk_total = 1, chunks_done = 1 WHERE id = 1002`)
	b.Exec(t, `UPDATE export_jobs SET status = 'processing', completed_at = NULL WHERE id = 1001`)
	running := postgrestest.Query[job.ID](t, b.Database, `SELECT uuid::text FROM import_jobs WHERE id = 1001`)
	b.confirm(t)
	ended := make(chan error, 1)
	go func() { ended <- b.run(t, b.DB) }()
	require.Eventually(t, func() bool {
		return postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM import_jobs WHERE organisation_id = 1`) == 1 ||
			postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM import_jobs WHERE id = 1001 AND status = 'CANCELLED'`) == 1
	}, deletionTimeout, deletionTick)
	b.Exec(t, `UPDATE import_jobs SET status = 'COMPLETED', completed_at = now() WHERE id = 1002`)
	require.NoError(t, <-ended)
	require.Equal(t, []job.ID{running}, b.stopped)
	require.Empty(t, b.count(t, 1))
}

// Before the confirmation nothing is deleted, also not by a role that could.
func TestUnconfirmedDeletionDeletesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.run(t, b.DB))
	require.NoError(t, b.service.Request(t.Context(), 1, "ada"))
	before := b.count(t, 1)
	require.NoError(t, b.run(t, b.DB))
	require.Equal(t, before, b.count(t, 1))
	for _, table := range []string{"organisations", "import_types", "import_type_versions"} {
		err := b.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `DELETE FROM `+table)
			return err
		})
		require.ErrorContains(t, err, "is only deleted with its organisation", table)
	}
	require.NoError(t, b.service.Withdraw(t.Context(), 1, "bob"))
	_, _, err := b.service.State(t.Context(), 1)
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
	require.Equal(t, problem.NotFound, problem.CodeOf(b.service.Confirm(t.Context(), 1, "ada", "One")))
	b.confirm(t)
	require.Equal(t, problem.StateConflict, problem.CodeOf(b.service.Withdraw(t.Context(), 1, "bob")))
	require.Equal(t, problem.StateConflict, problem.CodeOf(b.service.Request(t.Context(), 1, "bob")))
	err = b.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `DELETE FROM organisation_deletions`)
		return err
	})
	require.ErrorContains(t, err, "not withdrawn")
}

// Files that are created late are deleted before the deletion ends.
func TestDeletionWaitsForLateFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.confirm(t)
	runner, err := deletion.NewRunner(b.DB, b, b, b, deletion.Config{Rows: 1000, Settle: 75 * deletionTimeout}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, runner.Run(t.Context(), 1))
	require.Equal(t, map[string]int64{"loadbay.organisations": 1}, b.count(t, 1))
	require.True(t, postgrestest.Query[bool](t, b.Database, `SELECT completed_at IS NULL AND touched_at > now() FROM organisation_deletions`), "it is due later")
	b.objects["uploads/1/late"] = true
	b.Exec(t, `UPDATE organisation_deletions SET confirmed_at = now() - interval '1 day'`)
	require.NoError(t, runner.Run(t.Context(), 1))
	require.Empty(t, b.count(t, 1))
	require.NotContains(t, b.objects, "uploads/1/late")
}

// Each table with rows of organisations can be emptied by the functions' role, in batches found by an index.
func TestOwnedTablesAreDeletable(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	require.Empty(t, postgrestest.Query[[]string](t, d, `
		SELECT coalesce(array_agg(c.oid::regclass::text), '{}')
		FROM pg_class AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'organisation_id' AND a.attnum > 0
		WHERE c.relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND c.relkind = 'r' AND c.relname <> 'organisation_deletions'
		  AND NOT (has_table_privilege('loadbay_app', c.oid, 'SELECT, DELETE') AND EXISTS (
			SELECT FROM pg_index AS i
			JOIN pg_attribute AS k ON k.attrelid = c.oid AND k.attnum = i.indkey[0]
			WHERE i.indrelid = c.oid AND i.indpred IS NULL AND k.attname IN ('organisation_id', 'job_id')
			  AND (k.attname = 'organisation_id' OR EXISTS (SELECT FROM pg_attribute AS j WHERE j.attrelid = c.oid AND j.attname = 'job_id' AND j.attnotnull))))`))
}
