package process_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// changes returns the change set of an import in stored order.
func (r *harness) changes(t *testing.T, run *splitImport) []changeset.Change {
	t.Helper()
	var all []changeset.Change
	require.NoError(t, r.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		at := changeset.Position{Chunk: -1}
		for {
			next, part, ok, err := r.DB.NextChanges(t.Context(), tx, changeset.Ref{Key: run.Key}, at)
			if err != nil || !ok {
				return err
			}
			at, all = next, append(all, part...)
		}
	}))
	return all
}

// changedValues returns the columns of a change with their values, except time columns.
func changedValues(c *changeset.Change) map[string][2]string {
	show := func(v []*string, i int) string {
		switch {
		case len(v) == 0:
			return "-"
		case v[i] == nil:
			return "NULL"
		}
		return *v[i]
	}
	values := make(map[string][2]string)
	for i, name := range c.Columns {
		if name != "updated_at" && name != "created_at" {
			values[name] = [2]string{show(c.Before, i), show(c.After, i)}
		}
	}
	return values
}

func TestImportSavesChangeSet(t *testing.T) {
	t.Parallel()
	r := setup(t)
	fields := []string{"EMAIL", "NAME", "ROLE"}
	first := r.splitAndComplete(t, importFile{mode: "upsert", fields: fields, chunkRows: 2, rows: [][]string{
		{"ann@example.com", "Ann", "admin"}, {"bob@example.com", "Bob", "user"}, {"cem@example.com", "Cem", "user"},
	}})
	r.deliver(t, 1, first.chunks)
	made := r.changes(t, first)
	require.Len(t, made, 3)
	ids := map[int64]string{}
	for i, c := range made {
		require.Equal(t, changeset.Created, c.Op)
		require.Equal(t, int64(i+2), c.Row)
		require.Equal(t, "users", c.Table)
		require.Empty(t, c.Columns)
		require.Equal(t, postgrestest.Query[int64](t, r.Database, `SELECT hash_record_extended(ROW(id, email, name, role, active, created_at, updated_at), 0) FROM users WHERE id = '`+c.ID+`'`), c.Hash)
		ids[c.Row] = c.ID
	}

	second := r.splitAndComplete(t, importFile{mode: "upsert", fields: fields, chunkRows: 5, rows: [][]string{
		{"cem@example.com", `"Cem ""the"" Third\, jr"`, "user"}, {"ann@example.com", "Ann", "user"}, {"dan@example.com", "Dan", "user"},
	}})
	r.deliver(t, 1, second.chunks)
	got := map[int64]changeset.Change{}
	for _, c := range r.changes(t, second) {
		got[c.Row] = c
	}
	require.Len(t, got, 3)
	cem, ann, dan := got[2], got[3], got[4]
	require.Equal(t, map[string][2]string{"name": {"Cem", `Cem "the" Third\, jr`}}, changedValues(&cem))
	require.Equal(t, []any{changeset.Updated, ids[4], int64(first.Key), int64(4)}, []any{cem.Op, cem.ID, cem.PrevJob, cem.PrevRow})
	require.Equal(t, map[string][2]string{"role": {"admin", "user"}}, changedValues(&ann))
	require.Equal(t, []any{ids[2], int64(first.Key), int64(2)}, []any{ann.ID, ann.PrevJob, ann.PrevRow})
	require.Equal(t, changeset.Created, dan.Op)
}

func TestDisplacedRowChangesAreCaptured(t *testing.T) {
	t.Parallel()
	r := setup(t)
	run := r.splitAndComplete(t, importFile{mode: "insert", fields: []string{"EMAIL", "NAME"}, chunkRows: 1, rows: [][]string{
		{"ann@example.com", "Ann"}, {"ann@example.com", "Anna"},
	}})
	r.deliver(t, 1, run.chunks[1:])
	r.deliver(t, 1, run.chunks[:1])
	changes := r.changes(t, run) // by chunk
	require.Len(t, changes, 3)
	byRow := map[string]changeset.Change{}
	for _, c := range changes {
		byRow[c.Op.String()+" "+changedName(&c)] = c
	}
	gone := byRow["DELETED Anna"]
	require.Equal(t, int64(run.Key), gone.PrevJob)
	require.Equal(t, int64(3), gone.PrevRow)
}

// changedName returns the previous name of a deleted user.
func changedName(c *changeset.Change) string { return changedValues(c)["name"][0] }

func TestChangeSetHoldsCommittedChanges(t *testing.T) {
	t.Parallel()
	r := setup(t)
	// The database refuses the second row, so that the others are written again.
	r.Exec(t, `ALTER TABLE users ADD CONSTRAINT no_eve CHECK (name <> 'Eve')`)
	run := r.splitAndComplete(t, importFile{mode: "insert", fields: []string{"EMAIL", "NAME"}, chunkRows: 9, rows: [][]string{
		{"ann@example.com", "Ann"}, {"eve@example.com", "Eve"}, {"bob@example.com", "Bob"}, {"cem@example.com", "Cem"},
	}})
	r.deliver(t, 1, append(run.chunks, run.chunks...))
	var rows []int64
	for _, c := range r.changes(t, run) {
		rows = append(rows, c.Row)
	}
	require.ElementsMatch(t, []int64{2, 4, 5}, rows)
}

// Rows whose changes were not captured could not be planned or undone: a single one of them fails the
// chunk, which writes nothing.
func TestUncapturedChangesFailChunk(t *testing.T) {
	t.Parallel()
	r := setup(t)
	fields := []string{"EMAIL", "NAME"}
	r.deliver(t, 1, r.splitAndComplete(t, importFile{mode: "upsert", fields: fields, chunkRows: 9, rows: [][]string{{"ann@example.com", "Ann"}}}).chunks)
	both := [][]string{{"ann@example.com", "Anna"}, {"bob@example.com", "Bob"}}
	requireRefused := func(want string) {
		t.Helper()
		run := r.splitAndComplete(t, importFile{mode: "upsert", fields: fields, chunkRows: 9, rows: both})
		r.Exec(t, `UPDATE import_chunks SET repeated = '' WHERE job_id = $1`, run.Key)
		require.ErrorContains(t, r.step.Run(t.Context(), run.chunks[0]), "import type USER: the tables have not recorded the changes of "+want)
	}
	r.Exec(t, `DROP TRIGGER capture_updates ON users`)
	requireRefused("0 created and 1 updated rows")
	r.Exec(t, `DROP TRIGGER capture_inserts ON users`)
	requireRefused("1 created and 1 updated rows")
	require.Equal(t, int64(1), postgrestest.Query[int64](t, r.Database, `SELECT count(*) FROM users`))
}
