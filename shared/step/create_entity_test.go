package step_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/profile"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// veterans is a roster with an unknown type in two spellings, and with another unknown type
// that occurs only in a row with an error.
const veterans = "First name;Last name;Email;Type\n" +
	"Anna;Berg;anna@x.org;senior\n" +
	"Cleo;Dahl;cleo@x.org;Veteran\n" +
	"Dora;Eng;dora@x.org;VETERAN\n" +
	"Eva;Falk;no address;Ghost\n" +
	"Finn;Gran;finn@x.org;veteran\n"

// confirmCreates confirms the creation of an entity for each unknown value, as a person would.
func (e *engine) confirmCreates(t *testing.T, ref job.Ref) {
	t.Helper()
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	next, err := e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "CELL_MAPPING", next.Next)
	j := e.job(t, ref)
	e.Exec(t, `UPDATE import_cell_mappings SET status = 'MANUAL_MATCHED', create_new = true, confirmed = true, decided = true WHERE job_id = $1 AND status = 'UNRESOLVED'`, j.Key)
	e.transition(t, j, job.Processing)
	require.NoError(t, e.split.Run(t.Context(), ref))
}

func (e *engine) typeNames(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(name ORDER BY id) FROM membership_types WHERE organisation_id = 1`)
}

// TestEntityIsCreatedOnce processes one-row chunks concurrently. All of them need the same new
// type, and each is processed twice.
func TestEntityIsCreatedOnce(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	ref := e.create(t, "MEMBERSHIP", "members.csv", veterans, asking)
	e.confirmCreates(t, ref)
	queued := append(e.queued, e.queued...)
	e.queued = nil
	var all sync.WaitGroup
	for i := range queued {
		all.Go(func() { require.NoError(t, e.process.Run(t.Context(), queued[len(queued)-1-i])) })
	}
	all.Wait()
	require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED", "5 ERROR EMAIL CELL_EMAIL", "6 CREATED"}, e.results(t, ref))
	require.Equal(t, []string{"Senior", "Junior", "Veteran"}, e.typeNames(t), "names are spelt as in their first row; rows in error create none")
	require.Equal(t, []string{"senior", "Veteran", "Veteran", "Veteran"}, postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(CASE t.id WHEN 1 THEN 'senior' ELSE t.name END ORDER BY m.source_row) FROM memberships AS m JOIN membership_types AS t ON t.id = m.type_id`))

	made := postgrestest.Query[string](t, e.Database, `SELECT id::text FROM membership_types WHERE name = 'Veteran'`)
	require.Equal(t, []string{"Ghost new", "VETERAN " + made, "Veteran " + made, "senior 1", "veteran " + made}, e.texts(t, ref, `
		SELECT array_agg(source_value || ' ' || CASE WHEN create_new THEN 'new' ELSE target_entity_id END ORDER BY source_value COLLATE "C") FROM import_cell_mappings WHERE job_id = $1`))
}

// TestDryRunCreatesNoEntity expects the same outcomes as in the import, and no entity.
func TestDryRunCreatesNoEntity(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	rehearsal := e.create(t, "MEMBERSHIP", "members.csv", veterans, func(j *job.Job) { asking(j); j.DryRun = true })
	e.confirmCreates(t, rehearsal)
	e.drain(t, false)
	want := []string{"2 CREATED", "3 CREATED", "4 CREATED", "5 ERROR EMAIL CELL_EMAIL", "6 CREATED"}
	require.Equal(t, want, e.results(t, rehearsal))
	require.Equal(t, []string{"Senior", "Junior"}, e.typeNames(t))

	ref := e.create(t, "MEMBERSHIP", "members.csv", veterans, asking)
	e.confirmCreates(t, ref)
	e.drain(t, true)
	require.Equal(t, want, e.results(t, ref))
	require.Equal(t, []string{"Senior", "Junior", "Veteran"}, e.typeNames(t))
}

// TestProfileKeepsCreatedEntityByID: a profile refers to the created entity by id, so the value
// still matches it after it is renamed.
func TestProfileKeepsCreatedEntityByID(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	first := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
	_, err := e.analyze.Run(t.Context(), first)
	require.NoError(t, err)
	e.ignoreColumns(t, first)
	next, err := e.resolve.Run(t.Context(), first)
	require.NoError(t, err)
	require.Equal(t, "CELL_MAPPING", next.Next)
	j := e.job(t, first)
	e.Exec(t, `UPDATE import_cell_mappings SET status = 'MANUAL_MATCHED', create_new = true, confirmed = true, decided = true WHERE job_id = $1 AND status = 'UNRESOLVED'`, j.Key)
	e.transition(t, j, job.Processing)
	require.NoError(t, e.split.Run(t.Context(), first))
	e.drain(t, false)
	e.createProfile(t, profile.Draft{Name: "Club", Auto: true, FromImport: first.JobID})
	e.Exec(t, `UPDATE membership_types SET name = 'Masters' WHERE name = 'Veteran'`)

	again := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
	e.prepare(t, again)
	require.Equal(t, []string{"true"}, e.texts(t, again, `
		SELECT array_agg(DISTINCT (target_entity_id = (SELECT id::text FROM membership_types WHERE name = 'Masters'))::text)
		FROM import_cell_mappings WHERE job_id = $1 AND lower(source_value) = 'veteran'`))
	require.Equal(t, []string{"Senior", "Junior", "Masters"}, e.typeNames(t))
}
