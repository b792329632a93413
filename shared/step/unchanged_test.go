package step_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

func upsert(j *job.Job) { j.Mode = rowwrite.Upsert }

func upsertMember(j *job.Job) {
	member(j)
	upsert(j)
}

// stamps returns, for each entity of a table, its physical location, the transaction that wrote
// it, and the one that has locked it since: a lock alone is a write, too.
func (e *engine) stamps(t *testing.T, table string) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, fmt.Sprintf(`SELECT coalesce(array_agg(concat_ws(' ', ctid, xmin, xmax) ORDER BY id), '{}') FROM %s`, table))
}

// TestUnchangedRowIsNotWritten imports files twice: an unchanged entity is neither locked nor
// marked with the import, and is not part of its change set.
func TestUnchangedRowIsNotWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind, file string
		change     func(*job.Job)
		tables     []string
		want       job.Counts
	}{
		"users": {
			"USER", "Email,Full name,Active,Role\na@x.org,Anna,yes,\nb@x.org,Ben,no,admin\nC@X.org,Zoë,,\n", upsert, []string{"users"}, job.Counts{Unchanged: 3},
		},
		"events identified by name": {
			"EVENT", "Name,Date\nRiver Mile,2026-05-01\nHarbour Swim,2026-06-01\n", upsert, []string{"events"}, job.Counts{Unchanged: 2},
		},
		"members and their persons": {
			"MEMBERSHIP", "First name,Last name,Email,Membership type,Country\nAda,Ncube,ada@x.org,Senior,ZA\nBo,Berg,bo@x.org,junior,\n", upsertMember,
			[]string{"persons", "memberships"}, job.Counts{Unchanged: 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 1)
			e.runRows(t, c.kind, c.file, c.change)
			before := make(map[string][]string)
			for _, table := range c.tables {
				before[table] = e.stamps(t, table)
				require.NotEmpty(t, before[table])
			}
			e.metrics.Reset()
			again := e.runRows(t, c.kind, c.file, c.change)
			e.requireReconciled(t, again, c.want)
			for _, table := range c.tables {
				require.Equal(t, before[table], e.stamps(t, table), table)
			}
			require.Zero(t, postgrestest.Query[int](t, e.Database, `SELECT count(*) FROM import_changes AS c JOIN import_jobs AS j ON j.id = c.job_id WHERE j.uuid = '`+string(again.JobID)+`'`))
		})
	}
}

// TestUnchangedParticipantIsNotWritten: whole files have no two rows about the same person.
func TestUnchangedParticipantIsNotWritten(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	const file = "First name,Last name,Email,Category,Registration number,Custom 1\nAda,A,ada@x.org,Junior,R1,Large\nBo,B,bo@x.org,junior,,\n"
	e.runWhole(t, e.createInEvent(t, "EVENT_PARTICIPANT", file, `{}`), 1)
	before := append(e.stamps(t, "event_participants"), e.stamps(t, "custom_list_values")...)
	e.metrics.Reset()
	again := e.createInEvent(t, "EVENT_PARTICIPANT", file, `{}`)
	e.runWhole(t, again, 1)
	e.requireReconciled(t, again, job.Counts{Unchanged: 2})
	require.Equal(t, before, append(e.stamps(t, "event_participants"), e.stamps(t, "custom_list_values")...))
	var report struct{ Unchanged, Updated int }
	require.NoError(t, json.Unmarshal(e.job(t, again).ResultJSON, &report))
	require.Equal(t, 2, report.Unchanged)
	changed := e.createInEvent(t, "EVENT_PARTICIPANT", strings.Replace(file, "R1,Large", "R1,Small", 1), `{}`)
	e.runWhole(t, changed, 1)
	require.Equal(t, job.Counts{Updated: 1, Unchanged: 1}, e.job(t, changed).Progress.Counts)
}

// TestChangedCellIsUpdate: an empty cell keeps the stored value, and another format of the same
// value is not a change.
func TestChangedCellIsUpdate(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	e.runRows(t, "USER", "Email,Full name,Active,Role\na@x.org,Anna,yes,admin\nb@x.org,Ben,no,admin\nc@x.org,Cem,yes,user\n", upsert)
	ref := e.runRows(t, "USER", "Email,Full name,Active,Role\nA@x.org, Anna ,TRUE,\nb@x.org,Ben,yes,admin\nc@x.org,cem,yes,user\nd@x.org,Dora,,\n", upsert)
	require.Equal(t, []string{"2 UNCHANGED", "3 UPDATED", "4 UPDATED", "5 CREATED"}, e.results(t, ref))
}

// TestUnchangedLastRowWins: A is stored, an earlier row has B and a later one A. If the chunk of
// the later row came first and left no trace, B would remain.
func TestUnchangedLastRowWins(t *testing.T) {
	t.Parallel()
	const id, other = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
	stored := "Id,Slug,Title,Body,Author id\n" + id + ",one,A,text," + other + "\n"
	for name, file := range map[string]string{
		"both rows by id":                   "Id,Slug,Title,Body,Author id\n" + id + ",one,B,text," + other + "\n" + id + ",one,A,text," + other + "\n",
		"both rows by slug":                 "Slug,Title,Body,Author id\none,B,text," + other + "\none,A,text," + other + "\n",
		"one row by slug, one by both keys": "Id,Slug,Title,Body,Author id\n,one,B,text," + other + "\n" + id + ",one,A,text," + other + "\n",
		"same id in two notations":          "Id,Slug,Title,Body,Author id\n00000000-0000-4000-8000-000000000001,one,B,text," + other + "\n{00000000-0000-4000-8000-000000000001},one,A,text," + other + "\n",
		"rows with a status column":         "Slug,Title,Body,Author id,Status\none,B,text," + other + ",draft\none,A,text," + other + ",draft\n",
	} {
		for _, backwards := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, last chunk first %v", name, backwards), func(t *testing.T) {
				t.Parallel()
				e := setup(t, 1)
				e.Exec(t, `INSERT INTO users (organisation_id, id, email, name) VALUES (1, '`+other+`', 'o@x.org', 'O')`)
				e.runRows(t, "ARTICLE", stored, upsert)
				ref := e.create(t, "ARTICLE", "file.csv", file, upsert)
				e.prepare(t, ref)
				e.drain(t, backwards)
				require.NoError(t, e.complete.Run(t.Context(), ref))
				require.Equal(t, "A", postgrestest.Query[string](t, e.Database, `SELECT title FROM articles`))
				require.Zero(t, e.job(t, ref).Progress.Counts.Unchanged, e.results(t, ref))
			})
		}
	}
}

// TestRowsWithUnknownKeysAreWritten: unchanged rows are written if entities are identified by
// varying keys, and if the duplicate keys of a chunk are unknown.
func TestRowsWithUnknownKeysAreWritten(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	e.runRows(t, "USER", "Email,Full name\na@x.org,Anna\nb@x.org,Ben\n", upsert)
	id := postgrestest.Query[string](t, e.Database, `SELECT id::text FROM users WHERE email = 'a@x.org'`)
	ref := e.runRows(t, "USER", "Id,Email,Full name\n"+id+",a@x.org,Anna\n,b@x.org,Ben\n", upsert)
	require.Equal(t, []string{"2 UPDATED", "3 UPDATED"}, e.results(t, ref))
	e.Exec(t, `UPDATE import_chunks SET repeated = NULL`) // as in a file that was split by an older version
	ref = e.create(t, "USER", "file.csv", "Email,Full name\na@x.org,Anna\n", upsert)
	e.prepare(t, ref)
	require.Equal(t, "\\x", postgrestest.Query[string](t, e.Database, `SELECT repeated::text FROM import_chunks ORDER BY job_id DESC LIMIT 1`))
	e.Exec(t, `UPDATE import_chunks SET repeated = NULL`)
	e.drain(t, false)
	require.Equal(t, []string{"2 UPDATED"}, e.results(t, ref))
}

// TestDryRunReportsUnchangedRows: an insert reports no such row.
func TestDryRunReportsUnchangedRows(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	const file = "Email,Full name\na@x.org,Anna\nb@x.org,Ben\n"
	e.runRows(t, "USER", file, nil)
	ref := e.runRows(t, "USER", file, func(j *job.Job) { j.Mode, j.DryRun = rowwrite.Upsert, true })
	require.Equal(t, []string{"2 UNCHANGED", "3 UNCHANGED"}, e.results(t, ref))
	ref = e.runRows(t, "USER", file, nil)
	require.Equal(t, []string{"2 ERROR EMAIL ALREADY_EXISTS", "3 ERROR EMAIL ALREADY_EXISTS"}, e.results(t, ref))
}

// TestDuplicateKeysInRewrittenFiles: workbooks and JSON lines, which are split into separate
// objects, are handled like text files.
func TestDuplicateKeysInRewrittenFiles(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	e.runRows(t, "USER", "Email,Full name\na@x.org,Anna\nb@x.org,Ben\n", upsert)
	ref := e.create(t, "USER", "file.ndjson", `{"email":"a@x.org","name":"Berta"}`+"\n"+`{"email":"b@x.org","name":"Ben"}`+"\n"+`{"email":"A@X.org","name":"Anna"}`+"\n", upsert)
	e.prepare(t, ref)
	e.drain(t, true)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, "Anna", postgrestest.Query[string](t, e.Database, `SELECT name FROM users WHERE email = 'a@x.org'`))
	results := e.results(t, ref)
	require.Equal(t, "2 UNCHANGED", results[1])
	require.Contains(t, results[2], "UPDATED")
}
