package step_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	decisions "github.com/loadbay/loadbay/shared/mapping/recall"
	"github.com/loadbay/loadbay/shared/step/analyze"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// members is a roster with a header and a value that nobody knows.
const members = "First name;Last name;Email;Type;Shoe size\n" +
	"Anna;Berg;anna@x.org;senior;40\n" +
	"Cleo;Dahl;cleo@x.org;Veteran;42\n" +
	"Dora;Eng;dora@x.org;VETERAN;43\n"

func asking(j *job.Job) { member(j); j.AutoStart = false }

// answer does what a person's decisions do: the shoe size is ignored, and a
// veteran is a senior.
func (e *engine) answer(t *testing.T, ref job.Ref) {
	t.Helper()
	e.ignoreColumns(t, ref)
	next, err := e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "CELL_MAPPING", next.Next)
	j := e.job(t, ref)
	e.Exec(t, `UPDATE import_cell_mappings SET status = 'MANUAL_MATCHED', target_entity_id = '1', confirmed = true, decided = true WHERE job_id = $1 AND status = 'UNRESOLVED'`, j.Key)
	e.remember(t, j)
	e.move(t, j, job.Processing)
}

// ignoreColumns leaves out the columns that nobody knows.
func (e *engine) ignoreColumns(t *testing.T, ref job.Ref) {
	t.Helper()
	j := e.job(t, ref)
	e.Exec(t, `UPDATE import_column_mappings SET status = 'IGNORED', confirmed = true, decided = true WHERE job_id = $1 AND status = 'UNRESOLVED'`, j.Key)
	e.move(t, j, job.CellMapping)
}

// remember keeps what was decided about a job for later ones.
func (e *engine) remember(t *testing.T, j *job.Job) {
	t.Helper()
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		columns, err := e.DB.ColumnMappings(t.Context(), tx, j.Key)
		require.NoError(t, err)
		require.NoError(t, e.DB.RememberColumns(t.Context(), tx, j, decisions.OfColumns(j, columns)))
		cells, err := e.DB.CellMappings(t.Context(), tx, j.Key)
		require.NoError(t, err)
		return e.DB.RememberCells(t.Context(), tx, j, decisions.OfCells(j, cells))
	}))
}

func TestAFileWhoseHeadersAndValuesAreKnownPassesWithoutStopping(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	first := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
	next, err := e.analyze.Run(t.Context(), first)
	require.NoError(t, err)
	require.Equal(t, analyze.NextColumns, next.Next)
	e.answer(t, first)

	again := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
	next, err = e.analyze.Run(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, analyze.NextResolve, next.Next)
	next, err = e.resolve.Run(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, resolve.NextSplit, next.Next)
	require.Equal(t, []string{"IGNORED true"}, e.texts(t, again, `
		SELECT array_agg(status || ' ' || confirmed) FROM import_column_mappings WHERE job_id = $1 AND source_header = 'Shoe size'`))
	require.Equal(t, []string{"VETERAN MANUAL_MATCHED 1", "Veteran MANUAL_MATCHED 1", "senior AUTO_MATCHED 1"}, e.texts(t, again, `
		SELECT array_agg(source_value || ' ' || status || ' ' || target_entity_id ORDER BY source_value COLLATE "C") FROM import_cell_mappings WHERE job_id = $1`))
	require.NoError(t, e.split.Run(t.Context(), again))
	e.drain(t, false)
	require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED"}, e.results(t, again))
}

func (e *engine) texts(t *testing.T, ref job.Ref, sql string) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, sql, e.job(t, ref).Key)
}

func TestAOneShotImportUsesWhatWasDecidedBefore(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	first := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
	_, err := e.analyze.Run(t.Context(), first)
	require.NoError(t, err)
	e.answer(t, first)

	again := e.create(t, "MEMBERSHIP", "members.csv", members+"Ed;Falk;ed@x.org;Nobody;44\n", member)
	e.prepare(t, again)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), again))
	require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED", "5 ERROR MEMBERSHIP_TYPE_ID CELL_UNRESOLVED"}, e.results(t, again))
}

// TestSwappedNamesStayInTheImportInWhichTheyWereSwapped: a later file with exact
// headers is what it says.
func TestSwappedNamesStayInTheImportInWhichTheyWereSwapped(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	swapped := e.create(t, "MEMBERSHIP", "members.csv", "First name;Last name;Email;Type;zz\nDoe;John;john@x.org;Senior;1\n", asking)
	_, err := e.analyze.Run(t.Context(), swapped)
	require.NoError(t, err)
	j := e.job(t, swapped)
	e.Exec(t, `UPDATE import_column_mappings SET target_field = NULL WHERE job_id = $1`, j.Key)
	for header, field := range map[string]string{"First name": "LAST_NAME", "Last name": "FIRST_NAME", "Email": ""} {
		e.Exec(t, `
			UPDATE import_column_mappings
			SET target_field = nullif($3, ''), status = CASE $3 WHEN '' THEN 'IGNORED' ELSE 'MANUAL_MATCHED' END, confirmed = true, decided = true
			WHERE job_id = $1 AND source_header = $2`, j.Key, header, field)
	}
	e.remember(t, j)

	exact := e.create(t, "MEMBERSHIP", "members.csv", "First name;Last name;E-mail;Type\nJane;Doe;jane@x.org;Senior\n", member)
	e.prepare(t, exact)
	e.drain(t, false)
	require.Equal(t, []string{"2 CREATED"}, e.results(t, exact))
	require.Empty(t, e.job(t, exact).WarningCodes)
	require.Equal(t, "Jane Doe jane@x.org", postgrestest.Query[string](t, e.Database, `SELECT first_name || ' ' || last_name || ' ' || email FROM persons`))
}

// TestADecisionNeverBeatsAnEntityOfThatName: by now there is a type that is called
// what the value says.
func TestADecisionNeverBeatsAnEntityOfThatName(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]func(*job.Job){"asking": asking, "one shot": member} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 10)
			first := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
			_, err := e.analyze.Run(t.Context(), first)
			require.NoError(t, err)
			e.answer(t, first)
			e.Exec(t, `INSERT INTO membership_types (id, organisation_id, name) VALUES (7, 1, 'veteran')`)

			again := e.create(t, "MEMBERSHIP", "members.csv", members, how)
			e.prepare(t, again)
			e.drain(t, false)
			require.NoError(t, e.complete.Run(t.Context(), again))
			require.Equal(t, []string{"Anna 1", "Cleo 7", "Dora 7"}, postgrestest.Query[[]string](t, e.Database, `
				SELECT array_agg(p.first_name || ' ' || m.type_id ORDER BY m.source_row) FROM memberships AS m JOIN persons AS p ON p.id = m.person_id`))
		})
	}
}

// TestWhatMemoryDecidedIsSaid: nobody has looked at it this time, so the import says
// what it was, and where it comes from.
func TestWhatMemoryDecidedIsSaid(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]func(*job.Job){"asking": asking, "one shot": member} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 10)
			first := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
			_, err := e.analyze.Run(t.Context(), first)
			require.NoError(t, err)
			e.answer(t, first)
			require.Empty(t, e.job(t, first).WarningCodes)
			origin := postgrestest.Query[string](t, e.Database, `
				SELECT format('import %s at %s', decided_in, to_char(decided_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) FROM import_column_decisions`)
			require.Contains(t, origin, string(first.JobID))

			again := e.create(t, "MEMBERSHIP", "members.csv", members, how)
			e.prepare(t, again)
			require.Len(t, e.job(t, again).WarningCodes, 3)
			require.Equal(t, `DECISION_REMEMBERED: column "Shoe size" is ignored, as decided in `+origin, e.job(t, again).WarningCodes[0])
			for i, value := range []string{"VETERAN", "Veteran"} {
				said := e.job(t, again).WarningCodes[i+1]
				require.Contains(t, said, fmt.Sprintf(`DECISION_REMEMBERED: value %q of MEMBERSHIP_TYPE_ID is 1, as decided in import %s at `, value, first.JobID))
			}
			require.Equal(t, first.JobID, postgrestest.Query[job.ID](t, e.Database, `SELECT DISTINCT decided_in::text FROM import_column_decisions`), "it stays the origin")
		})
	}
}

func TestADecisionAboutAnEntityThatIsGoneIsAskedAgain(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	first := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
	_, err := e.analyze.Run(t.Context(), first)
	require.NoError(t, err)
	e.answer(t, first)
	e.Exec(t, `UPDATE membership_types SET id = 7 WHERE id = 1`)

	again := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
	_, err = e.analyze.Run(t.Context(), again)
	require.NoError(t, err)
	next, err := e.resolve.Run(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, "CELL_MAPPING", next.Next)
}

func TestTheColumnsOfAnErrorWorkbookAreNoData(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	ref := e.create(t, "USER", "users.csv", job.RowHeader+","+job.ErrorHeader+",Email,Name\n7,wrong,a@x.org,A\n", func(j *job.Job) { j.AutoStart = false })
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, analyze.NextResolve, next.Next, "there is nothing to ask")
}
