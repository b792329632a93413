package erasure_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const address, earlier, planned = "zebedea@quill.example", "old-zq@quill.example", "planned-zq@quill.example"

// fixture is an organisation with an imported person.
type fixture struct {
	*postgrestest.Database
	service *erasure.Service
	person  string
	jobs    []*job.Job
}

func setup(t testing.TB, jobs int) *fixture {
	t.Helper()
	w := &fixture{Database: postgrestest.Setup(t)}
	w.service = newService(t, w.DB)
	for range jobs {
		w.jobs = append(w.jobs, w.AddJob(t, `status = 'UPLOADED'`))
	}
	w.person = w.createPerson(t)
	return w
}

// newService returns the service for all import types.
func newService(t testing.TB, db erasure.Store) *erasure.Service {
	t.Helper()
	s, err := erasure.New(db, catalog.New().Types(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return s
}

func (w *fixture) createPerson(t testing.TB) string {
	t.Helper()
	return postgrestest.Query[string](t, w.Database, `
		INSERT INTO persons (organisation_id, identity_key, first_name, last_name, email) VALUES (1, 'id:zq', 'Zebedea', 'Quillfeather', $1) RETURNING id::text`, address)
}

func (w *fixture) inOrganisation(t testing.TB, f func(tx pgx.Tx) error) {
	t.Helper()
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, f))
}

// addPart adds a part to a job's change set.
func (w *fixture) addPart(t testing.TB, n, chunk int, changes ...changeset.Change) {
	t.Helper()
	w.inOrganisation(t, func(tx pgx.Tx) error { return w.DB.AddChanges(t.Context(), tx, w.jobs[n], chunk, changes) })
}

func updated(table, id, column, before, after string) changeset.Change {
	return changeset.Change{Row: 2, Table: table, ID: id, Op: changeset.Updated, Columns: []string{column}, Before: []*string{&before}, After: []*string{&after}}
}

// otherPersonsPart returns a part with a change of another person.
func otherPersonsPart(n int) changeset.Change {
	return updated("persons", fmt.Sprint(1_000_000+n), "email", "before", fmt.Sprintf("ann%d@example.org", n))
}

// allValues returns all values of all change sets and plans.
func (w *fixture) allValues(t testing.TB) string {
	t.Helper()
	var all strings.Builder
	for _, j := range w.jobs {
		for _, set := range []changeset.Ref{{Key: j.Key}, {Key: j.Key, Planned: true}} {
			at := changeset.Position{Chunk: -1}
			for more := true; more; {
				w.inOrganisation(t, func(tx pgx.Tx) (err error) {
					var changes []changeset.Change
					at, changes, more, err = w.DB.NextChanges(t.Context(), tx, set, at)
					for _, c := range changes {
						for _, v := range append(c.Before, c.After...) {
							if v != nil {
								all.WriteString(*v + "\n")
							}
						}
					}
					return err
				})
			}
		}
	}
	return all.String()
}

// Others write between two steps, and information found at the end restarts the search. A
// repeated request with the same key continues the erasure.
func TestErasureContinuesStepByStep(t *testing.T) {
	t.Parallel()
	w := setup(t, 3)
	w.addPart(t, 0, 0, updated("memberships", "4711", "membership_number", "M-GONE-1", "M-GONE-2")) // the last part reveals the owner
	for chunk := range 50 {
		w.addPart(t, 1, chunk, otherPersonsPart(chunk))
	}
	number := "M-GONE-3"
	w.addPart(t, 2, 0, updated("persons", w.person, "email", earlier, address),
		changeset.Change{Row: 3, Table: "memberships", ID: "4711", Op: changeset.Deleted, Columns: []string{"person_id", "membership_number"}, Before: []*string{&w.person, &number}})
	w.Exec(t, `INSERT INTO import_row_corrections (job_id, organisation_id, row_number, field, value) VALUES ($1, 1, 9, 'EMAIL', to_jsonb($2::text))`, w.jobs[0].Key, earlier)

	first, err := w.service.ErasePerson(t.Context(), "op", 1, strings.ToUpper(address), 0)
	require.NoError(t, err)
	require.False(t, first.Complete)
	w.addPart(t, 0, 1, updated("persons", w.person, "phone", "", "+44 555 778899")) // behind the current position
	steps := 1
	for r := first; !r.Complete; steps++ {
		require.Less(t, steps, 60, "the erasure ends")
		require.Equal(t, 1, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM persons WHERE id::text = $1`, w.person))
		r, err = w.service.ErasePerson(t.Context(), "op", 1, address, 0)
		require.NoError(t, err)
		if r.Complete {
			require.Equal(t, erasure.Report{Complete: true, Changes: 4, OpenImports: 3}, r)
		}
	}
	require.Greater(t, steps, 8, "two passes of three steps each")
	texts := w.allValues(t)
	for _, gone := range []string{"GONE", address, earlier, "778899"} {
		require.NotContains(t, texts, gone)
	}
	require.Equal(t, 50, strings.Count(texts, "@example.org"))
	require.Zero(t, postgrestest.Query[int](t, w.Database, `SELECT (SELECT count(*) FROM persons) + (SELECT count(*) FROM person_erasures) + (SELECT count(*) FROM import_row_corrections)`))
	_, err = w.service.ErasePerson(t.Context(), "op", 1, address, 0)
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
}

// A plan would create the person again under another id, and an earlier person was deleted: both
// are recognised. The plan must be reviewed again; changes of other persons stay.
func TestErasureRemovesPersonFromPlans(t *testing.T) {
	t.Parallel()
	w := setup(t, 2)
	key, mail, old := "id:zq", planned, earlier
	w.inOrganisation(t, func(tx pgx.Tx) error {
		if err := w.DB.AddPlannedChanges(t.Context(), tx, w.jobs[0], 0, []changeset.Change{
			{Row: 2, Table: "persons", ID: "99001", Op: changeset.Created, Columns: []string{"identity_key", "email"}, After: []*string{&key, &mail}}, otherPersonsPart(1),
		}); err != nil {
			return err
		}
		return w.DB.SavePlanDigest(t.Context(), tx, w.jobs[0].Key)
	})
	w.addPart(t, 1, 0, changeset.Change{Row: 4, Table: "persons", ID: "98000", Op: changeset.Deleted, Columns: []string{"identity_key", "email"}, Before: []*string{&key, &old}})
	digest := `SELECT plan_digest FROM import_jobs WHERE id = $1`
	seen := postgrestest.Query[string](t, w.Database, digest, w.jobs[0].Key)
	r, err := w.service.ErasePerson(t.Context(), "op", 1, w.person, 1<<40)
	require.NoError(t, err)
	require.Equal(t, erasure.Report{Complete: true, Changes: 2, OpenImports: 2}, r)
	require.Equal(t, "before\nann1@example.org\n", w.allValues(t))
	now := postgrestest.Query[string](t, w.Database, digest, w.jobs[0].Key)
	require.NotEqual(t, seen, now)
	w.inOrganisation(t, func(tx pgx.Tx) error { return w.DB.SavePlanDigest(t.Context(), tx, w.jobs[0].Key) })
	require.Equal(t, now, postgrestest.Query[string](t, w.Database, digest, w.jobs[0].Key), "the digest matches the remaining changes")
}

// An undo note names the entity; the change set of the undo has such notes as well as changes of
// entities.
func TestErasureRemovesUndoNotes(t *testing.T) {
	t.Parallel()
	w := setup(t, 1)
	w.Exec(t, `UPDATE import_jobs SET purpose = 'UNDO', undo_of = gen_random_uuid(), undo_mode = 'safe'`)
	table, given, column := "persons", earlier, "email"
	for entity, value := range map[string]string{w.person: given, "77": "kept@example.org"} {
		w.Exec(t, `INSERT INTO kept_changes (organisation_id, job_id, entity_table, entity_id, column_name, given, instead) VALUES (1, $1, 'persons', $2, 'email', $3, 'x')`, w.jobs[0].Key, entity, value)
	}
	w.addPart(t, 0, 0, changeset.Change{Row: 1, Table: "kept_changes", ID: "5", Op: changeset.Deleted,
		Columns: []string{"entity_table", "entity_id", "column_name", "given"}, Before: []*string{&table, &w.person, &column, &given}}, updated("users", "1", "name", "a", "b"))
	_, err := w.service.ErasePerson(t.Context(), "op", 1, w.person, 1<<40)
	require.NoError(t, err)
	require.Equal(t, "a\nb\n", w.allValues(t))
	require.Equal(t, "kept@example.org", postgrestest.Query[string](t, w.Database, `SELECT string_agg(given, ' ') FROM kept_changes`))
}
