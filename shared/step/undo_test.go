package step_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/undo"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// noopStarter starts nothing: the tests take the place of the execution.
type noopStarter struct{}

func (noopStarter) Start(context.Context, job.Ref) error { return nil }

// requestUndo accepts an undo as the API does.
func (e *engine) requestUndo(t *testing.T, of job.Ref, mode rules.Mode, preview bool) (job.Ref, error) {
	t.Helper()
	return e.acceptUndo(t, submit.UndoRequest{Ref: of, Mode: mode, Preview: preview})
}

func (e *engine) acceptUndo(t *testing.T, r submit.UndoRequest) (job.Ref, error) {
	t.Helper()
	r.RequestID = "test"
	done, err := e.undoService(t).Undo(t.Context(), r)
	if err != nil {
		return job.Ref{}, err
	}
	return job.Ref{JobID: done.Job.ID, OrganisationID: r.OrganisationID}, nil
}

func (e *engine) undoService(t *testing.T) *submit.Service {
	t.Helper()
	s, err := submit.New(e.DB, nil, noopStarter{}, nil, nil, submit.Limits{
		FileBytes: 1 << 20, MultipartAbove: 1 << 30, PartBytes: 16 << 20, UploadLifetime: time.Hour,
		Quotas: quota.Limits{OpenImports: 1000, AnnouncedBytes: 1 << 40, OpenExports: 1, Streams: 1, RequestsPerMinute: 1},
	}, telemetry.NewLogger(io.Discard, slog.LevelDebug))
	require.NoError(t, err)
	return s
}

func (e *engine) undoStep() *undo.Step {
	return undo.New(e.DB, e.types, telemetry.NewMetrics(io.Discard), time.Minute, telemetry.NewLogger(io.Discard, slog.LevelDebug))
}

// undo undoes a job to the end.
func (e *engine) undo(t *testing.T, of job.Ref, mode rules.Mode) job.Ref {
	t.Helper()
	return e.runUndo(t, of, mode, false)
}

func (e *engine) runUndo(t *testing.T, of job.Ref, mode rules.Mode, preview bool) job.Ref {
	t.Helper()
	ref, err := e.requestUndo(t, of, mode, preview)
	require.NoError(t, err)
	e.finishUndo(t, ref)
	return ref
}

// finishUndo runs a requested undo to the end.
func (e *engine) finishUndo(t *testing.T, ref job.Ref) {
	t.Helper()
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "WHOLE_FILE", next.Next)
	next, err = e.undoStep().Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, callback.NextComplete, next.Next)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	j := e.job(t, ref)
	require.True(t, j.Progress.Reconciles())
	require.False(t, j.Progress.CallbackPending)
}

// upsertUsers imports a file of users to its end.
func (e *engine) upsertUsers(t *testing.T, file string) job.Ref {
	t.Helper()
	return e.importFile(t, "USER", file, false, func(j *job.Job) { j.Mode = rowwrite.Upsert })
}

func (e *engine) importFile(t *testing.T, importType, file string, backwards bool, change func(*job.Job)) job.Ref {
	t.Helper()
	ref := e.create(t, importType, "file.csv", file, change)
	e.prepare(t, ref)
	e.drain(t, backwards)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	return ref
}

// names returns the users in short form: "a@x.org Anna user".
func (e *engine) names(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(email || ' ' || name || ' ' || role ORDER BY email) FROM users`)
}

func TestUndoRestoresDatabase(t *testing.T) {
	t.Parallel()
	rosters := []string{
		"First name,Last name,Email,Membership type,Membership number\nAda,Lovelace,ada@x.org,Senior,1\nBen,Bolt,ben@x.org,Junior,2\nAda,Lovelace,ada@x.org,Junior,3\nCid,Cole,cid@x.org,Junior,\n",
		"First name,Last name,Email,Membership type,Membership number,Phone\nAda,Lovelace,ada@x.org,Junior,1,\"(1) \"\"2\"\"\"\nBen,Bolt,ben@x.org,Junior,4,\nDan,Dale,dan@x.org,Senior,5,\nBen,Bolt,ben@x.org,Senior,6,77\n",
	}
	people := []string{
		"Email,Full name,Role\na@x.org,Ann,user\nb@x.org,Ben,user\na@x.org,Anna,admin\nc@x.org,Cid,user\n",
		"Email,Full name,Role\nc@x.org,Cem,admin\na@x.org,Ann,user\nd@x.org,Dan,user\na@x.org,Anna,user\n",
	}
	for name, c := range map[string]struct {
		importType string
		files      []string
		change     func(*job.Job)
	}{
		"users":       {"USER", people, func(j *job.Job) { j.Mode = rowwrite.Upsert }},
		"new users":   {"USER", people, nil},
		"memberships": {"MEMBERSHIP", rosters, func(j *job.Job) { member(j); j.Mode = rowwrite.Upsert }},
		"new members": {"MEMBERSHIP", rosters, member},
		"orders": {"ORDER", []string{
			orderHeader + orderLine("R-1", 1) + orderLine("", 2) + orderLine("R-1", 3) + orderLine("R-2", 4),
			orderHeader + orderLine("R-2", 5) + orderLine("R-3", 6) + orderLine("R-3", 7) + orderLine("", 2),
		}, nil},
	} {
		for _, chunkRows := range []int{1, 2, 100} {
			for _, backwards := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %d rows a chunk, backwards %t", name, chunkRows, backwards), func(t *testing.T) {
					t.Parallel()
					e := setup(t, chunkRows)
					states := []entities{e.entities(t)}
					var refs []job.Ref
					for _, file := range c.files {
						refs = append(refs, e.importFile(t, c.importType, file, backwards, c.change))
						states = append(states, e.entities(t))
					}
					e.requireUndo(t, refs, states)
				})
			}
		}
	}
	again := strings.NewReplacer("ada@x.org,élite,R1,1,Small,Blue", "ada@x.org,Junior,R1,9,Huge,", "Fay,Field", "Fay,Fields").Replace(entries)
	for _, partRows := range []int{1, 3, 100} {
		t.Run(fmt.Sprintf("participants, %d rows a part", partRows), func(t *testing.T) {
			t.Parallel()
			e := setupEvent(t)
			states := []entities{e.entities(t)}
			var refs []job.Ref
			for _, file := range []string{entries, again} {
				ref := e.createInEvent(t, "EVENT_PARTICIPANT", file, `{}`)
				e.runWhole(t, ref, partRows)
				refs, states = append(refs, ref), append(states, e.entities(t))
			}
			e.requireUndo(t, refs, states)
		})
	}
}

// requireUndo undoes imports, the last one first, then each of these undos, and each undo of
// those.
func (e *engine) requireUndo(t *testing.T, refs []job.Ref, states []entities) {
	t.Helper()
	for i := len(refs) - 1; i >= 0; i-- {
		back := e.undo(t, refs[i], rules.Safe)
		require.Equal(t, states[i], e.entities(t), "import %d is undone", i)
		requireAll(t, e.results(t, back), " UNDONE")
		forth := e.undo(t, back, rules.Safe)
		require.Equal(t, states[i+1], e.entities(t), "the undo is undone")
		requireAll(t, e.results(t, forth), " UNDONE")
		e.undo(t, forth, rules.Safe)
		require.Equal(t, states[i], e.entities(t), "the undo of the undo is undone")
	}
}

func requireAll(t *testing.T, lines []string, end string) {
	t.Helper()
	require.NotEmpty(t, lines)
	for _, line := range lines {
		require.True(t, strings.HasSuffix(line, end), line)
	}
}

func TestLaterEditsWinFieldByField(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\nb@x.org,Ben,user\nc@x.org,Cid,user\n")
	ref := e.upsertUsers(t, "Email,Full name,Role\na@x.org,Anna,admin\nb@x.org,Benno,user\nd@x.org,Dan,user\ne@x.org,Eve,user\n")
	e.Exec(t, `UPDATE users SET name = 'Annie', updated_at = now() WHERE email = 'a@x.org'`)
	e.Exec(t, `UPDATE users SET role = 'admin', updated_at = now() WHERE email = 'd@x.org'`)
	back := e.undo(t, ref, rules.Safe)
	require.Equal(t, []string{"a@x.org Annie user", "b@x.org Ben user", "c@x.org Cid user", "d@x.org Dan admin"}, e.names(t))
	require.ElementsMatch(t, []string{"KEPT_LATER_EDIT NAME KEPT_LATER_EDIT", "UNDONE", "KEPT_LATER_EDIT  KEPT_LATER_EDIT", "UNDONE"}, withoutRows(e.results(t, back)))
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		events, err := e.DB.UnsentEvents(t.Context(), tx, back.JobID)
		require.Len(t, events, 1)
		require.Equal(t, ref.JobID, events[0].UndoOf)
		return err
	}))
	counts := e.job(t, back).Progress.Counts
	require.Equal(t, job.Counts{Updated: 2, Skipped: 2}, counts)

	_, err := e.requestUndo(t, ref, rules.Force, false)
	require.Equal(t, problem.PreviewRequired, problem.CodeOf(err))
	before := e.entities(t)
	preview := e.runUndo(t, ref, rules.Force, true)
	require.Equal(t, before, e.entities(t), "a preview changes nothing")
	require.NotEmpty(t, e.changeSet(t, preview, false), "the preview lists the changes")
	e.undo(t, ref, rules.Force)
	require.Equal(t, []string{"a@x.org Ann user", "b@x.org Ben user", "c@x.org Cid user"}, e.names(t))
	_, err = e.requestUndo(t, ref, rules.Safe, false)
	require.Equal(t, problem.UndoDone, problem.CodeOf(err))
}

// withoutRows removes the row numbers of results.
func withoutRows(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		_, out[i], _ = strings.Cut(line, " ")
	}
	return out
}

func TestUndoKeepsReferencedAndTakenKeys(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\n")
	ref := e.importFile(t, "USER", "ID,Email,Full name,Role\n"+ // Ann's address changes
		"11111111-1111-4111-8111-111111111111,n@x.org,Nan,user\n22222222-2222-4222-8222-222222222222,o@x.org,Ora,user\n", false, nil)
	e.Exec(t, `INSERT INTO articles (organisation_id, slug, title, body, author_id) VALUES (1, 's', 'T', 'B', '11111111-1111-4111-8111-111111111111')`)
	back := e.undo(t, ref, rules.Safe)
	require.Equal(t, []string{"a@x.org Ann user", "n@x.org Nan user"}, e.names(t))
	require.ElementsMatch(t, []string{"KEPT_REFERENCED  KEPT_REFERENCED", "UNDONE"}, withoutRows(e.results(t, back)))

	moved := e.importFile(t, "USER", "ID,Email,Full name\n11111111-1111-4111-8111-111111111111,m@x.org,Nan M.\n", false, func(j *job.Job) { j.Mode = rowwrite.Upsert })
	e.Exec(t, `INSERT INTO users (organisation_id, email, name) VALUES (1, 'n@x.org', 'Other')`)
	back = e.undo(t, moved, rules.Safe)
	require.Equal(t, []string{"a@x.org Ann user", "m@x.org Nan user", "n@x.org Other user"}, e.names(t), "all is reverted except the key")
	require.Equal(t, []string{"KEPT_KEY_TAKEN EMAIL KEPT_KEY_TAKEN"}, withoutRows(e.results(t, back)))
}

func TestLaterUndoKeepsImportUndone(t *testing.T) {
	t.Parallel()
	first, second := "Email,Full name,Role\na@x.org,Anna,admin\nd@x.org,Dan,user\n", "Email,Full name\na@x.org,Ann Again\nd@x.org,Dan Again\n"
	began := func(t *testing.T) (e *engine, one, two job.Ref) {
		e = setup(t, 100)
		e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\n")
		return e, e.upsertUsers(t, first), e.upsertUsers(t, second)
	}
	t.Run("both imports undone", func(t *testing.T) {
		t.Parallel()
		e, one, two := began(t)
		e.undo(t, one, rules.Safe)
		require.Equal(t, []string{"a@x.org Ann Again user", "d@x.org Dan Again user"}, e.names(t))
		e.undo(t, two, rules.Safe)
		require.Equal(t, []string{"a@x.org Ann user"}, e.names(t), "neither Anna nor Dan is left")
	})
	t.Run("both undone, later undo undone", func(t *testing.T) {
		t.Parallel()
		e, one, two := began(t)
		e.undo(t, one, rules.Safe)
		back := e.undo(t, two, rules.Safe)
		e.undo(t, back, rules.Safe)
		require.Equal(t, []string{"a@x.org Ann Again user", "d@x.org Dan Again user"}, e.names(t))
		e.undo(t, two, rules.Safe)
		require.Equal(t, []string{"a@x.org Ann user"}, e.names(t))
	})
	t.Run("first undo undone before the second undo", func(t *testing.T) {
		t.Parallel()
		e, one, two := began(t)
		back := e.undo(t, one, rules.Safe)
		e.undo(t, back, rules.Safe)
		e.undo(t, two, rules.Safe)
		require.Equal(t, []string{"a@x.org Anna admin", "d@x.org Dan user"}, e.names(t), "the first import is restored")
	})
	t.Run("first undo undone after the second undo", func(t *testing.T) {
		t.Parallel()
		e, one, two := began(t)
		back := e.undo(t, one, rules.Safe)
		e.undo(t, two, rules.Safe)
		e.undo(t, back, rules.Safe)
		require.Equal(t, "a@x.org Anna admin", e.names(t)[0], "the first import is restored")
	})
	t.Run("same value edited by a person later", func(t *testing.T) {
		t.Parallel()
		e, one, _ := began(t)
		e.undo(t, one, rules.Safe)
		e.Exec(t, `UPDATE users SET name = 'Anna' WHERE email = 'a@x.org'`)
		three := e.upsertUsers(t, "Email,Full name\na@x.org,Ann Third\n")
		e.undo(t, three, rules.Safe)
		require.Equal(t, "a@x.org Anna user", e.names(t)[0], "the edit was not by an undone import")
	})
}

// An upsert contains a user twice, and an earlier import is undone between its two chunks. The
// later of these chunks ran first and had restored the original value.
func TestUndoBetweenChunks(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\n")
	one := e.upsertUsers(t, "Email,Full name\na@x.org,Anna\n")
	two := e.create(t, "USER", "file.csv", "Email,Full name,Role\na@x.org,Anna,admin\nb@x.org,Ben,user\nc@x.org,Cid,user\na@x.org,Ann,\n", func(j *job.Job) { j.Mode = rowwrite.Upsert })
	e.prepare(t, two)
	chunks := e.queued
	e.queued = nil
	require.Len(t, chunks, 2)
	require.NoError(t, e.process.Run(t.Context(), chunks[1]))
	back := e.undo(t, one, rules.Safe)
	require.Equal(t, "a@x.org Ann user", e.names(t)[0])
	require.NoError(t, e.process.Run(t.Context(), chunks[0]))
	require.NoError(t, e.complete.Run(t.Context(), two))
	require.Equal(t, "a@x.org Ann admin", e.names(t)[0])
	e.undo(t, two, rules.Safe)
	require.Equal(t, []string{"a@x.org Ann user"}, e.names(t), "Anna was undone and does not return")
	e.undo(t, back, rules.Safe)
	require.Equal(t, []string{"a@x.org Anna user"}, e.names(t), "the first import is restored")
}

// An import is undone twice, the second time after the first undo was undone. Each undo is
// effective until it is undone itself.
func TestEachUndoHoldsUntilItIsUndone(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\n")
	one := e.upsertUsers(t, "Email,Full name\na@x.org,Anna\n")
	first := e.undo(t, one, rules.Safe)
	again := e.undo(t, first, rules.Safe)
	second := e.undo(t, one, rules.Safe)
	require.Equal(t, []string{"a@x.org Ann user"}, e.names(t))
	e.undo(t, again, rules.Safe)
	e.undo(t, second, rules.Safe)
	require.Equal(t, []string{"a@x.org Ann user"}, e.names(t), "the first undo still applies")
	e.undo(t, first, rules.Safe)
	require.Equal(t, []string{"a@x.org Anna user"}, e.names(t), "no undo applies")
}

// Two undos of an import are in force, and the earlier one is undone first. The values alone do
// not show that both have reverted them.
func TestEarlierUndoRestoresSharedValues(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\n")
	one := e.upsertUsers(t, "Email,Full name\na@x.org,Anna\nd@x.org,Dan\n")
	first := e.undo(t, one, rules.Safe)
	again := e.undo(t, first, rules.Safe)
	second := e.undo(t, one, rules.Safe)
	e.undo(t, again, rules.Safe)
	require.Equal(t, []string{"a@x.org Ann user"}, e.names(t))
	e.undo(t, first, rules.Safe)
	require.Equal(t, []string{"a@x.org Anna user", "d@x.org Dan user"}, e.names(t))
	e.undo(t, second, rules.Safe)
	require.Equal(t, []string{"a@x.org Anna user", "d@x.org Dan user"}, e.names(t))
}

func TestCascadeRevertsLaterImportsFirst(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\nb@x.org,Ben,user\n")
	one := e.upsertUsers(t, "Email,Full name\na@x.org,Anna\nd@x.org,Dan\n")
	e.upsertUsers(t, "Email,Full name\na@x.org,Ann Again\nb@x.org,Benno\nd@x.org,Dan Again\n")
	e.upsertUsers(t, "Email,Full name\na@x.org,Ann Third\n")
	_, err := e.requestUndo(t, one, rules.Cascade, false)
	require.Equal(t, problem.PreviewRequired, problem.CodeOf(err))
	before := e.entities(t)
	preview := e.runUndo(t, one, rules.Cascade, true)
	require.Equal(t, before, e.entities(t))
	requireAll(t, e.results(t, preview), " UNDONE")
	back := e.undo(t, one, rules.Cascade)
	require.Equal(t, []string{"a@x.org Ann user", "b@x.org Benno user"}, e.names(t), "Ben was not created by the import")
	require.Equal(t, e.results(t, preview), e.results(t, back))
	e.undo(t, back, rules.Safe)
	require.Equal(t, before, e.entities(t))
}

// undoAfterPreview undoes an import after a preview of the undo.
func (e *engine) undoAfterPreview(t *testing.T, of job.Ref, mode rules.Mode) job.Ref {
	t.Helper()
	e.runUndo(t, of, mode, true)
	return e.undo(t, of, mode)
}

// Imports are undone, by force or in a cascade, despite values of later imports. When these undos
// are undone, they restore none of the later values.
func TestUndoneForceKeepsLaterImportsUndone(t *testing.T) {
	t.Parallel()
	t.Run("forced undo", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 100)
		e.upsertUsers(t, "Email,Full name\na@x.org,Ann\n")
		one, two := e.upsertUsers(t, "Email,Full name\na@x.org,Anna\n"), e.upsertUsers(t, "Email,Full name\na@x.org,Annie\n")
		forced := e.undoAfterPreview(t, one, rules.Force)
		require.Equal(t, []string{"a@x.org Ann user"}, e.names(t))
		e.undoAfterPreview(t, two, rules.Force)
		require.Equal(t, []string{"a@x.org Ann user"}, e.names(t), "Anna was undone and does not return")
		e.undo(t, forced, rules.Safe)
		require.Equal(t, []string{"a@x.org Anna user"}, e.names(t), "the first import is restored, the second stays undone")
	})
	t.Run("cascading undo", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 100)
		e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\n")
		one, two := e.upsertUsers(t, "Email,Full name,Role\na@x.org,Anna,admin\n"), e.upsertUsers(t, "Email,Full name,Role\na@x.org,Annie,user\n")
		cascade := e.undoAfterPreview(t, one, rules.Cascade)
		require.Equal(t, []string{"a@x.org Ann user"}, e.names(t))
		e.undo(t, two, rules.Safe)
		require.Equal(t, []string{"a@x.org Ann user"}, e.names(t), "the role's value did not come from the second import")
		e.undo(t, cascade, rules.Safe)
		require.Equal(t, []string{"a@x.org Anna admin"}, e.names(t), "the first import is restored, the second stays undone")
	})
}

// A cascade also reverts later undos, as far as they have changed the same entities. Their notes
// about the changed fields do not apply until the cascade is undone. Values that they kept are
// unaffected.
func TestCascadeRevertsNotesOfLaterUndo(t *testing.T) {
	t.Parallel()
	for _, mode := range []rules.Mode{rules.Force, rules.Cascade} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			e := setup(t, 100)
			e.upsertUsers(t, "Email,Full name\na@x.org,Ann\nb@x.org,Ben\n")
			one, two := e.upsertUsers(t, "Email,Full name\na@x.org,Anna\nb@x.org,Benno\n"), e.upsertUsers(t, "Email,Full name\na@x.org,Annie\n")
			e.undoAfterPreview(t, one, mode)
			undone := []string{"a@x.org Ann user", "b@x.org Ben user"}
			require.Equal(t, undone, e.names(t))
			cascade := e.undoAfterPreview(t, two, rules.Cascade)
			require.Equal(t, []string{"a@x.org Anna user", "b@x.org Ben user"}, e.names(t), "Anna is restored because the later undo is reverted; Benno is not")
			e.undo(t, cascade, rules.Safe)
			require.Equal(t, undone, e.names(t))
			e.undo(t, two, rules.Safe)
			require.Equal(t, undone, e.names(t), "Anna stays undone")
		})
	}
	t.Run("kept values are not reverted", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 100)
		e.upsertUsers(t, "Email,Full name,Role\na@x.org,Ann,user\n")
		one, two := e.upsertUsers(t, "Email,Full name,Role\na@x.org,Anna,admin\n"), e.upsertUsers(t, "Email,Full name\na@x.org,Annie\n")
		e.undo(t, one, rules.Safe)
		require.Equal(t, []string{"a@x.org Annie user"}, e.names(t))
		e.undoAfterPreview(t, two, rules.Cascade)
		require.Equal(t, []string{"a@x.org Ann admin"}, e.names(t), "the role was changed later; the name was not, and Anna stays undone")
	})
}

// The first import is undone despite two later ones, the second despite the third, and then the
// first undo is undone: the value of the first import is in force again when the third one is
// undone.
func TestUndoRestoresUncoveredValue(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	e.upsertUsers(t, "Email,Full name\na@x.org,Ann\n")
	one, two, three := e.upsertUsers(t, "Email,Full name\na@x.org,Anna\n"), e.upsertUsers(t, "Email,Full name\na@x.org,Annie\n"), e.upsertUsers(t, "Email,Full name\na@x.org,Annick\n")
	back := e.undo(t, one, rules.Safe)
	e.undo(t, two, rules.Safe)
	e.undo(t, back, rules.Safe)
	require.Equal(t, []string{"a@x.org Annick user"}, e.names(t))
	e.undo(t, three, rules.Safe)
	require.Equal(t, []string{"a@x.org Anna user"}, e.names(t))
}

func TestUndoSavesNoChangesWithoutRetention(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.upsertUsers(t, "Email,Full name\na@x.org,Ann\n")
	e.Exec(t, `INSERT INTO organisation_settings (organisation_id, undo_days) VALUES (1, 0)`)
	back := e.undo(t, ref, rules.Safe)
	require.Empty(t, e.names(t))
	require.Empty(t, e.changeSet(t, back, false))
	_, err := e.requestUndo(t, back, rules.Safe, false)
	require.Equal(t, problem.UndoExpired, problem.CodeOf(err))
	next := e.create(t, "USER", "users.csv", "Email,Full name\nb@x.org,Ben\n", nil)
	require.Equal(t, job.UndoNotKept, e.job(t, next).WhyNotUndoable(), "the reason is reported before the import starts")
}
