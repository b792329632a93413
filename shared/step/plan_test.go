package step_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/step/await"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

// stubTokens accepts tokens, and records the tasks that are completed immediately.
type stubTokens struct{ completed []string }

func (*stubTokens) SaveToken(context.Context, job.ID, job.Phase, string) error { return nil }

func (w *stubTokens) CompleteToken(_ context.Context, _, next string) error {
	w.completed = append(w.completed, next)
	return nil
}

type noopRecorder struct{}

func (noopRecorder) Record(context.Context, *job.Job, job.Status, job.Status) {}

// awaitApproval runs AwaitApproval and returns the outputs of tasks that it completed
// immediately.
func (e *engine) awaitApproval(t *testing.T, ref job.Ref) []string {
	t.Helper()
	w := &stubTokens{}
	step := await.New(e.DB, w, w, e.types, steptest.EventRecorder{Recorder: noopRecorder{}})
	require.NoError(t, step.Run(t.Context(), await.Input{Ref: ref, Phase: job.PhaseApproval, TaskToken: "T"}))
	return w.completed
}

// plan plans a file that updates existing entities.
func (e *engine) plan(t *testing.T, importType, file string, change func(*job.Job)) job.Ref {
	t.Helper()
	ref := e.create(t, importType, "plan.csv", file, func(j *job.Job) {
		j.Mode, j.Plan = rowwrite.Upsert, &job.Plan{Requested: true}
		if change != nil {
			change(j)
		}
	})
	e.prepare(t, ref)
	return ref
}

// approve approves the plan as the API does, until its chunks are queued.
func (e *engine) approve(t *testing.T, ref job.Ref, onStale job.StalePolicy) error {
	t.Helper()
	j := e.job(t, ref)
	require.Equal(t, job.AwaitingApproval, j.Status)
	require.Len(t, j.Plan.Digest, 64)
	e.transition(t, j, job.Processing)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return e.DB.BeginApply(t.Context(), tx, j, "bob", onStale)
	}))
	return e.split.Run(t.Context(), ref)
}

// plannedChanges returns the changes of a plan.
func (e *engine) plannedChanges(t *testing.T, ref job.Ref) (all []changeset.Change) {
	t.Helper()
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		for at := (changeset.Position{Chunk: -1}); ; {
			next, part, ok, err := e.DB.NextChanges(t.Context(), tx, changeset.Ref{Key: e.job(t, ref).Key, Planned: true}, at)
			if err != nil || !ok {
				return err
			}
			at, all = next, append(all, part...)
		}
	}))
	return all
}

// comparable returns entities without generated ids and times. References to ids are replaced by
// names.
func (e *engine) comparable(t *testing.T) []string {
	t.Helper()
	all := e.entities(t)
	names := make(map[string]string)
	for key, columns := range all {
		switch table, id, _ := strings.Cut(key, " "); table {
		case "membership_types", "persons", "custom_lists", "custom_list_values":
			names[table+" "+id] = fmt.Sprint(columns["name"], columns["identity_key"], columns["value"])
		case "event_participants":
			names[table+" "+id] = fmt.Sprint(all["persons "+fmt.Sprint(columns["person_id"])]["identity_key"])
		}
	}
	var lines []string
	for key, columns := range all {
		table, _, _ := strings.Cut(key, " ")
		columns = maps.Clone(columns)
		for _, given := range []string{"id", "order_id", "created_at", "updated_at"} {
			delete(columns, given)
		}
		for column, other := range map[string]string{
			"type_id": "membership_types", "person_id": "persons", "participant_id": "event_participants", "list_id": "custom_lists",
			"custom1_id": "custom_list_values", "custom2_id": "custom_list_values", "custom3_id": "custom_list_values",
		} {
			if columns[column] != nil {
				columns[column] = names[other+" "+fmt.Sprint(columns[column])]
			}
		}
		lines = append(lines, fmt.Sprint(table, columns))
	}
	sort.Strings(lines)
	return lines
}

const (
	planRoster = "First name,Last name,Email,Membership type,Membership number\n" +
		"Ada,Lovelace,ada@x.org,Veteran,1\nBen,Bolt,ben@x.org,Junior,2\nCid,Cole,cid@x.org,Veteran,3\nDan,Dale,,Junior,4\n"
	colleagues = "email,name,role\na@x.org,Anna,admin\nb@x.org,Bea,user\nc@x.org,Cleo,user\nnot an address,Dora,user\ne@x.org,Eva,admin\n"
)

// addUsers adds the users that the file colleagues refers to: the file changes both and creates
// two.
func (e *engine) addUsers(t *testing.T) {
	t.Helper()
	e.Exec(t, `INSERT INTO users (organisation_id, email, name, role) VALUES (1, 'a@x.org', 'Anne', 'user'), (1, 'b@x.org', 'Ben', 'user')`)
}

// confirmCreateType confirms, as a person would, that a value becomes a membership type.
func (e *engine) confirmCreateType(t *testing.T, ref job.Ref, value string) {
	t.Helper()
	j := e.job(t, ref)
	e.Exec(t, fmt.Sprintf(`INSERT INTO import_cell_mappings (job_id, organisation_id, target_field, source_value, status, create_new)
		VALUES (%d, 1, 'MEMBERSHIP_TYPE_ID', '%s', 'MANUAL_MATCHED', true)`, j.Key, value))
}

func TestAppliedPlanEqualsImport(t *testing.T) {
	t.Parallel()
	for _, chunkRows := range []int{1, 2, 100} {
		for _, c := range []struct {
			name, importType, file string
			change                 func(*job.Job)
			before                 func(*testing.T, *engine, job.Ref)
		}{
			{"users", "USER", colleagues, nil, func(*testing.T, *engine, job.Ref) {}},
			{"a roster", "MEMBERSHIP", planRoster, member, func(t *testing.T, e *engine, ref job.Ref) { e.confirmCreateType(t, ref, "Veteran") }},
		} {
			t.Run(fmt.Sprintf("%s, %d rows a chunk", c.name, chunkRows), func(t *testing.T) {
				t.Parallel()
				plain, e := setup(t, chunkRows), setup(t, chunkRows)
				plain.addUsers(t)
				e.addUsers(t)
				imported := plain.create(t, c.importType, "plan.csv", c.file, func(j *job.Job) {
					if j.Mode = rowwrite.Upsert; c.change != nil {
						c.change(j)
					}
				})
				c.before(t, plain, imported)
				plain.prepare(t, imported)
				plain.drain(t, false)
				require.NoError(t, plain.complete.Run(t.Context(), imported))

				before := e.entities(t)
				ref := e.create(t, c.importType, "plan.csv", c.file, func(j *job.Job) {
					if j.Mode, j.Plan = rowwrite.Upsert, (&job.Plan{Requested: true}); c.change != nil {
						c.change(j)
					}
				})
				c.before(t, e, ref)
				e.prepare(t, ref)
				e.drain(t, true)
				require.Equal(t, before, e.entities(t), "nothing is written before the approval")
				require.Equal(t, plain.results(t, imported), e.results(t, ref), "the plan has the same results as the import")
				require.Empty(t, e.awaitApproval(t, ref), "the job waits for approval")
				require.Empty(t, e.awaitApproval(t, ref), "the repeated step waits for approval too")
				require.NotEmpty(t, e.plannedChanges(t, ref))
				require.Error(t, e.complete.Run(t.Context(), ref))

				require.NoError(t, e.approve(t, ref, job.SkipStale))
				again := slices.Clone(e.queued)
				e.drain(t, false)
				for _, chunk := range again {
					require.NoError(t, e.process.Run(t.Context(), chunk), "a second delivery is harmless")
				}
				require.NoError(t, e.complete.Run(t.Context(), ref))
				j := e.job(t, ref)
				require.True(t, j.Progress.Reconciles(), "%+v", j.Progress)
				require.Equal(t, plain.job(t, imported).Progress.Counts, j.Progress.Counts)
				require.Equal(t, plain.results(t, imported), e.results(t, ref))
				require.Equal(t, plain.comparable(t), e.comparable(t))
				before.explains(t, e.changeSet(t, ref, false), e.entities(t))
			})
		}
	}
}

func TestChangedEntityMakesPlanStale(t *testing.T) {
	t.Parallel()
	const file = "email,name,role\na@x.org,Anna,admin\nb@x.org,Bert,user\nc@x.org,Cleo,user\nd@x.org,Dora,user\ne@x.org,Eva,user\n"
	edit := func(t *testing.T, e *engine) {
		t.Helper()
		e.Exec(t, `UPDATE users SET name = 'Edited' WHERE email = 'a@x.org'`)
		e.Exec(t, `DELETE FROM users WHERE email = 'b@x.org'`)
		e.Exec(t, `INSERT INTO users (organisation_id, email, name) VALUES (1, 'c@x.org', 'Taken')`)
		e.Exec(t, `UPDATE users SET active = false, updated_at = now() WHERE email = 'd@x.org'`) // a column that the plan does not change
	}
	for onStale, want := range map[job.StalePolicy][]string{
		job.SkipStale:      {"2 SKIPPED  PLAN_STALE", "3 SKIPPED  PLAN_STALE", "4 SKIPPED  PLAN_STALE", "5 UPDATED", "6 CREATED"},
		job.OverwriteStale: {"2 UPDATED", "3 SKIPPED  PLAN_STALE", "4 SKIPPED  PLAN_STALE", "5 UPDATED", "6 CREATED"},
		job.AbortOnStale:   nil,
	} {
		for _, chunkRows := range []int{1, 100} {
			t.Run(fmt.Sprintf("%s, %d rows a chunk", onStale, chunkRows), func(t *testing.T) {
				t.Parallel()
				e := setup(t, chunkRows)
				e.addUsers(t)
				e.Exec(t, `INSERT INTO users (organisation_id, email, name) VALUES (1, 'd@x.org', 'Doris')`)
				ref := e.plan(t, "USER", file, nil)
				e.drain(t, false)
				e.awaitApproval(t, ref)
				edit(t, e)
				edited := e.entities(t)
				err := e.approve(t, ref, onStale)
				if onStale == job.AbortOnStale {
					require.Equal(t, problem.PlanStale, problem.CodeOf(err), "%v", err)
					require.Contains(t, problem.From(err).Message, "row 2")
					require.Empty(t, e.queued)
					require.Equal(t, edited, e.entities(t))
					return
				}
				require.NoError(t, err)
				e.drain(t, false)
				require.NoError(t, e.complete.Run(t.Context(), ref))
				require.Equal(t, want, e.results(t, ref))
				require.True(t, e.job(t, ref).Progress.Reconciles())
				name := map[job.StalePolicy]string{job.SkipStale: "Edited", job.OverwriteStale: "Anna"}[onStale]
				require.Equal(t, []string{"a " + name, "c Taken", "d Dora false", "e Eva"}, postgrestest.Query[[]string](t, e.Database,
					`SELECT array_agg(left(email, 1) || ' ' || name || CASE WHEN active THEN '' ELSE ' false' END ORDER BY email) FROM users`))
				edited.explains(t, e.changeSet(t, ref, false), e.entities(t))
			})
		}
	}
}

// A file may contain the ids of the entities that it creates, and unchanged rows, which are
// finished when the others are checked.
func TestPlanAbortsOnExistingID(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	const resident, newcomer = "00000000-0000-4000-8000-000000000076", "00000000-0000-4000-8000-000000000077"
	e.Exec(t, `INSERT INTO users (organisation_id, id, email, name) VALUES (1, '`+resident+`', 'a@x.org', 'Ann')`)
	ref := e.plan(t, "USER", "id,email,name\n"+resident+",a@x.org,Ann\n"+newcomer+",z@x.org,Zoe\n", nil)
	e.drain(t, false)
	e.awaitApproval(t, ref)
	require.Equal(t, []string{"2 UNCHANGED", "3 CREATED"}, e.results(t, ref))
	e.Exec(t, `INSERT INTO users (organisation_id, id, email, name) VALUES (1, '`+newcomer+`', 'z@x.org', 'Zora')`)
	err := e.approve(t, ref, job.AbortOnStale)
	require.Equal(t, problem.PlanStale, problem.CodeOf(err), "%v", err)
}

func TestFreshPlanDoesNotAbort(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	e.addUsers(t)
	ref := e.plan(t, "USER", colleagues, nil)
	e.drain(t, false)
	e.awaitApproval(t, ref)
	require.NoError(t, e.approve(t, ref, job.AbortOnStale))
	require.NoError(t, e.process.Run(t.Context(), e.queued[0]))
	require.NoError(t, e.split.Run(t.Context(), ref), "rows written by the plan itself do not make it stale")
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
}

// A plan is cancelled while it is applied, and undone: written changes are reverted, and the
// rest is never written.
func TestCancelledPlanIsUndone(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	e.addUsers(t)
	before := e.entities(t)
	ref := e.plan(t, "USER", colleagues, nil)
	e.drain(t, false)
	e.awaitApproval(t, ref)
	_, err := e.requestUndo(t, ref, rules.Safe, false)
	require.Equal(t, problem.UndoNothing, problem.CodeOf(err), "a plan without an approval has changed nothing")
	require.NoError(t, e.approve(t, ref, job.SkipStale))
	late := e.queued[1]
	require.NoError(t, e.process.Run(t.Context(), e.queued[0]))
	require.NotEqual(t, before, e.entities(t))
	e.transition(t, e.job(t, ref), job.Cancelled)
	e.undo(t, ref, rules.Safe)
	require.Equal(t, before, e.entities(t))
	require.NoError(t, e.process.Run(t.Context(), late))
	require.Equal(t, before, e.entities(t), "a late message writes nothing")
}

// A migration runs between planning and applying: columns are added, and one that the plan
// changes is dropped.
func TestPlanSurvivesMigration(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	e.addUsers(t)
	ref := e.plan(t, "USER", colleagues, nil)
	e.drain(t, false)
	e.awaitApproval(t, ref)
	e.Exec(t, `ALTER TABLE users ADD COLUMN fresh text NOT NULL DEFAULT 'x'`)
	require.NoError(t, e.approve(t, ref, job.SkipStale))
	e.drain(t, false)
	require.Equal(t, job.Counts{Created: 2, Updated: 2, Errored: 1}, e.job(t, ref).Progress.Counts)
	require.Equal(t, "x", postgrestest.Query[string](t, e.Database, `SELECT fresh FROM users WHERE email = 'e@x.org'`))

	e.Exec(t, `UPDATE users SET role = 'user' WHERE email = 'a@x.org'`)
	ref = e.plan(t, "USER", "email,name,role\na@x.org,Anna,admin\nb@x.org,Ben,user\n", nil)
	e.drain(t, false)
	e.awaitApproval(t, ref)
	e.Exec(t, `ALTER TABLE users DROP COLUMN role`)
	require.NoError(t, e.approve(t, ref, job.SkipStale))
	e.drain(t, false)
	require.Equal(t, []string{"2 SKIPPED  PLAN_STALE", "3 UPDATED"}, e.results(t, ref))
}

// Rows of different chunks share an entity: the later row wins, as in an import, regardless of
// the order of writing.
func TestLastRowOfPlanWins(t *testing.T) {
	t.Parallel()
	for _, backwards := range []bool{false, true} {
		e := setup(t, 1)
		e.addUsers(t)
		ref := e.plan(t, "USER", "email,name\na@x.org,First\nb@x.org,Bea\na@x.org,Last\n", nil)
		e.drain(t, false)
		e.awaitApproval(t, ref)
		require.NoError(t, e.approve(t, ref, job.SkipStale))
		e.drain(t, backwards)
		require.NoError(t, e.complete.Run(t.Context(), ref))
		require.Equal(t, "Last", postgrestest.Query[string](t, e.Database, `SELECT name FROM users WHERE email = 'a@x.org'`))
		require.Equal(t, []string{"2 UPDATED  ROW_SUPERSEDED", "3 UPDATED", "4 UPDATED"}, e.results(t, ref))
	}
}

func TestAppliedPlanCanBeUndone(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	e.addUsers(t)
	before := e.entities(t)
	ref := e.plan(t, "USER", colleagues, nil)
	require.Equal(t, job.UndoNotEnded, e.job(t, ref).WhyNotUndoable())
	e.drain(t, false)
	e.awaitApproval(t, ref)
	require.Equal(t, job.UndoNotApplied, e.job(t, ref).WhyNotUndoable(), "the job waits for approval")
	require.NoError(t, e.approve(t, ref, job.SkipStale))
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Empty(t, e.job(t, ref).WhyNotUndoable())
	e.undo(t, ref, rules.Safe)
	require.Equal(t, before, e.entities(t))

	discarded := e.plan(t, "USER", colleagues, nil)
	e.drain(t, false)
	e.awaitApproval(t, discarded)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, moved, err := e.DB.Transition(t.Context(), tx, e.job(t, discarded).Key, job.Transition{To: job.Cancelled})
		require.True(t, moved)
		return err
	}))
	require.Equal(t, job.UndoNotApplied, e.job(t, discarded).WhyNotUndoable())
	require.Nil(t, e.job(t, discarded).UndoUntil)
	_, err := e.requestUndo(t, discarded, rules.Safe, false)
	require.Equal(t, problem.UndoNothing, problem.CodeOf(err))
}

func TestGuardsDecideApproval(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		guards job.Guards
		waits  bool
	}{
		"as many created as allowed":          {job.Guards{Created: "2"}, false},
		"more created than allowed":           {job.Guards{Created: "1"}, true},
		"more created than the allowed share": {job.Guards{Created: "39%"}, true},
		"more updated than allowed":           {job.Guards{Updated: "0"}, true},
		"as many field changes as allowed":    {job.Guards{Fields: map[string]job.ErrorLimit{"NAME": "2"}}, false},
		"more field changes than allowed":     {job.Guards{Fields: map[string]job.ErrorLimit{"NAME": "1"}}, true},
		"unchanged field":                     {job.Guards{Fields: map[string]job.ErrorLimit{"ACTIVE": "0"}}, false},
		"field name in lower case":            {job.Guards{Fields: map[string]job.ErrorLimit{"name": "0"}}, false},
		"one of two guards exceeded":          {job.Guards{Created: "99%", Updated: "0"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 2)
			e.addUsers(t)
			before := e.entities(t)
			ref := e.plan(t, "USER", colleagues, func(j *job.Job) { j.Plan = &job.Plan{Guards: c.guards} })
			e.drain(t, false)
			require.Equal(t, before, e.entities(t))
			completed := e.awaitApproval(t, ref)
			if c.waits {
				require.Empty(t, completed)
				require.Equal(t, job.AwaitingApproval, e.job(t, ref).Status)
				return
			}
			require.Equal(t, []string{"APPLY"}, completed)
			require.Equal(t, completed, e.awaitApproval(t, ref), "the repeated step has the same result")
			require.NoError(t, e.split.Run(t.Context(), ref))
			e.drain(t, false)
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.Equal(t, int64(4), e.job(t, ref).Progress.Counts.Success())
		})
	}
}
