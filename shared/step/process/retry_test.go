package process_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// mixedImport returns an import of two chunks, the second of which is processed. Its first
// chunk has a row for every outcome: one that takes its person from a row of the second chunk,
// and rows that are invalid, ask a question, are skipped, need an entity to be created, and are
// refused by the database.
func (r *harness) mixedImport(t *testing.T, dryRun bool) *splitImport {
	t.Helper()
	r.Exec(t, `
		INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (1, 1, '2026', '2026-01-01', '2026-12-31');
		INSERT INTO membership_types (organisation_id, name) VALUES (1, 'Senior');
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'made up'; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON memberships FOR EACH ROW WHEN (NEW.membership_number = 'poison') EXECUTE FUNCTION refuse()`)
	run := r.splitAndComplete(t, importFile{
		kind: "MEMBERSHIP", mode: rowwrite.Insert, period: 1, chunkRows: 8,
		fields: []string{"EMAIL", "FIRST_NAME", "LAST_NAME", "MEMBERSHIP_TYPE_ID", "MEMBERSHIP_NUMBER"},
		rows: [][]string{
			{"a@x.org", "A", "first", "Senior", ""},
			{"b@x.org", "B", "", "Senior", ""},
			{"c@x.org", "C", "C", "Stranger", ""},
			{"d@x.org", "D", "D", "Nobody", ""},
			{"e@x.org", "E", "E", "Novice", ""},
			{"f@x.org", "F", "F", "Senior", "poison"},
			{"g@x.org", "G", "G", "Stranger", ""},
			{"h@x.org", "H", "H", "Novice", "last"},
			{"a@x.org", "A", "second", "Senior", ""},
			{"i@x.org", "I", "I", "Senior", ""},
		},
	})
	r.Exec(t, `UPDATE import_jobs SET auto_start = false, dry_run = $1`, dryRun)
	r.Exec(t, `
		INSERT INTO import_cell_mappings (job_id, organisation_id, target_field, source_value, status, create_new, confirmed, first_row)
		VALUES ($1, 1, 'MEMBERSHIP_TYPE_ID', 'Nobody', 'IGNORED', false, true, 5), ($1, 1, 'MEMBERSHIP_TYPE_ID', 'Novice', 'MANUAL_MATCHED', true, true, 6)`, run.Key)
	r.deliver(t, 1, run.chunks[1:])
	return run
}

// importState is everything that an import has written.
type importState struct {
	Status      job.Status
	Progress    job.Progress
	Ledger      string
	Results     []string
	Cells       []string
	Members     []string
	Types       []string
	Transitions []string
	Ends        int
}

func (r *harness) stateOf(t *testing.T, run *splitImport) importState {
	t.Helper()
	list := func(sql string) []string { return postgrestest.Query[[]string](t, r.Database, sql) }
	j := r.ReadJob(t, run.ID)
	return importState{
		Status: j.Status, Progress: j.Progress, Ledger: r.doneOutcomes(t, run), Members: r.members(t), Transitions: r.transitions, Ends: r.ends[run.ID],
		Results: list(`SELECT array_agg(concat_ws(' ', row_number, outcome, faults) ORDER BY row_number) FROM import_row_results`),
		Cells: list(`
			SELECT array_agg(concat_ws(' ', c.source_value, c.status, c.row_count, c.first_row, c.create_new, t.name) ORDER BY c.source_value)
			FROM import_cell_mappings AS c LEFT JOIN membership_types AS t ON t.id::text = c.target_entity_id`),
		Types: list(`SELECT array_agg(name ORDER BY name) FROM membership_types`),
	}
}

// collide lets the database abort a transaction as it does to resolve a deadlock, the given
// number of times, at the event described by trigger.
func (r *harness) collide(t *testing.T, times int, trigger string) {
	t.Helper()
	r.Exec(t, `
		CREATE SEQUENCE collisions;
		CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = loadbay, sample AS $$ BEGIN
			IF nextval('collisions') <= TG_ARGV[0]::int THEN
				RAISE EXCEPTION 'made up' USING ERRCODE = 'deadlock_detected';
			END IF;
			RETURN NEW;
		END $$`)
	r.Exec(t, trigger+` EXECUTE FUNCTION collide(`+strconv.Itoa(times)+`)`)
}

// displacingCollision is the collision that no dry run reaches.
const displacingCollision = "when another chunk's row is displaced"

// collisions are the points at which an attempt at the first chunk can lose against another
// transaction.
var collisions = map[string]string{
	"when a type is made":               `CREATE TRIGGER collide AFTER INSERT ON membership_types FOR EACH ROW WHEN (NEW.name = 'Novice')`,
	"when a person is written":          `CREATE TRIGGER collide BEFORE INSERT ON persons FOR EACH ROW WHEN (NEW.email = 'e@x.org')`,
	"when half of the rows are written": `CREATE TRIGGER collide BEFORE INSERT ON memberships FOR EACH ROW WHEN (NEW.membership_number = 'last')`,
	displacingCollision:                 `CREATE TRIGGER collide AFTER UPDATE ON import_chunks FOR EACH ROW WHEN (NEW.chunk_index = 1)`,
	"when a question is kept":           `CREATE TRIGGER collide AFTER INSERT ON import_cell_mappings FOR EACH ROW WHEN (NEW.status = 'UNRESOLVED')`,
	"when the results are kept":         `CREATE TRIGGER collide AFTER INSERT ON import_row_results FOR EACH ROW WHEN (NEW.row_number = 3)`,
	"when the outcomes are kept":        `CREATE TRIGGER collide AFTER UPDATE ON import_chunks FOR EACH ROW WHEN (NEW.chunk_index = 0 AND NEW.done)`,
	"when the job advances":             `CREATE TRIGGER collide AFTER UPDATE ON import_jobs FOR EACH ROW WHEN (NEW.chunks_done = 2)`,
	"when it commits": `CREATE CONSTRAINT TRIGGER collide AFTER UPDATE ON import_jobs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
		WHEN (NEW.status = 'CELL_MAPPING')`,
}

// An attempt starts without the state of the previous one.
func TestRetryEqualsSingleAttempt(t *testing.T) {
	t.Parallel()
	for name, dryRun := range map[string]bool{"import": false, "dry run": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			single := setup(t)
			run := single.mixedImport(t, dryRun)
			require.NoError(t, single.step.Run(t.Context(), run.chunks[0]))
			want := single.stateOf(t, run)
			require.Equal(t, job.CellMapping, want.Status)
			for when, trigger := range collisions {
				if dryRun && when == displacingCollision {
					continue // the writes of the second chunk have been rolled back
				}
				t.Run(when, func(t *testing.T) {
					t.Parallel()
					r := setup(t)
					run := r.mixedImport(t, dryRun)
					before := r.claims.Load()
					r.collide(t, 2, trigger)
					require.NoError(t, r.step.Run(t.Context(), run.chunks[0]))
					require.Equal(t, int64(3), r.claims.Load()-before, "the third attempt succeeds")
					require.Equal(t, want, r.stateOf(t, run))
				})
			}
		})
	}
}

// A deferred row takes its person, and the outcome of that person, from a later row of the same
// chunk: the next attempt starts from the original state.
func TestReopenedChunkRetryEqualsSingleAttempt(t *testing.T) {
	t.Parallel()
	resumed := func() (*harness, *splitImport) {
		r := setup(t)
		r.Exec(t, `
			INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (1, 1, '2026', '2026-01-01', '2026-12-31');
			INSERT INTO membership_types (id, organisation_id, name) VALUES (1, 1, 'Senior')`)
		run := r.splitAndComplete(t, importFile{
			kind: "MEMBERSHIP", mode: rowwrite.Upsert, period: 1, chunkRows: 2,
			fields: []string{"EMAIL", "FIRST_NAME", "LAST_NAME", "MEMBERSHIP_TYPE_ID"},
			rows:   [][]string{{"x@x.org", "X", "first", "Veteran"}, {"x@x.org", "X", "second", "Senior"}},
		})
		r.Exec(t, `UPDATE import_jobs SET auto_start = false`)
		r.deliver(t, 1, run.chunks)
		require.Equal(t, "DC", r.doneOutcomes(t, run))
		r.resume(t, run)
		return r, run
	}
	single, run := resumed()
	single.deliver(t, 1, run.chunks)
	want := single.stateOf(t, run)
	require.Equal(t, "CE", want.Ledger)
	r, run := resumed()
	r.collide(t, 2, collisions["when the outcomes are kept"])
	r.deliver(t, 1, run.chunks)
	require.Equal(t, want, r.stateOf(t, run))
}

// The first attempt advances the job and is lost at its commit. Before the second attempt, the
// duplicate of the message is processed.
func TestRetryOfDoneChunkReportsNothing(t *testing.T) {
	t.Parallel()
	single := setup(t)
	want := single.mixedImport(t, false)
	require.NoError(t, single.step.Run(t.Context(), want.chunks[0]))
	r := setup(t)
	run := r.mixedImport(t, false)
	r.collide(t, 1, collisions["when it commits"])
	lost := r.claims.Load() + 2
	r.onClaim = func(claims int64) {
		if claims == lost {
			require.NoError(t, r.step.Run(t.Context(), run.chunks[0]))
		}
	}
	require.NoError(t, r.step.Run(t.Context(), run.chunks[0]))
	require.Equal(t, []string{"PROCESSING to CELL_MAPPING"}, r.transitions)
	require.Equal(t, single.stateOf(t, want), r.stateOf(t, run))
}
