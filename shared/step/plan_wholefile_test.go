package step_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/step/await"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

// planWhole plans a file for event 1.
func (e *engine) planWhole(t *testing.T, importType, file, options string, plan job.Plan) job.Ref {
	t.Helper()
	ref := e.create(t, importType, "plan.csv", file, func(j *job.Job) {
		event := int64(1)
		j.WholeFile, j.SkipMapping, j.ContextID, j.Mode, j.Options, j.Plan = true, true, &event, rowwrite.Upsert, json.RawMessage(options), &plan
	})
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	for range 2 { // the second run finds the finished plan
		next, err := e.wholeFile(t, 2).Run(t.Context(), ref)
		require.NoError(t, err)
		require.Equal(t, callback.NextApproval, next.Next)
	}
	return ref
}

// applyWhole applies a plan, up to the end of the import.
func (e *engine) applyWhole(t *testing.T, ref job.Ref) {
	t.Helper()
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.True(t, e.job(t, ref).Progress.Reconciles(), "%+v", e.job(t, ref).Progress)
}

// reenteredFile changes entries created by entries, and adds one with a new value.
const reenteredFile = "First name,Last name,Email,Category,Registration number,Bib,Custom 1,Custom 2\n" +
	"Ben,Bolt,ben@x.org,Élite,R2,22,Large,\nAda,Lovelace,ada@x.org,élite,R1,1,Small,Blue\n,Nobody,,Junior,,,,\nGus,Gale,gus@x.org,Junior,R7,8,Tiny,Blue\n"

func TestAppliedWholeFilePlanEqualsImport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup                     func(*testing.T) *engine
		importType, file, options string
	}{
		"entries":             {setupEvent, "EVENT_PARTICIPANT", entries, `{}`},
		"re-imported entries": {setupEntered, "EVENT_PARTICIPANT", reenteredFile, `{}`},
		"results":             {setupRace, "RESULT", combined, `{"applyNumberChanges": true, "pointsCalculator": "wpca-road-league"}`},
		"re-imported results": {setupRaced, "RESULT", combined, `{"applyNumberChanges": true, "pointsCalculator": "sa-school"}`},
		"no rows":             {setupEvent, "EVENT_PARTICIPANT", strings.SplitAfter(entries, "\n")[0], `{}`},
		"only rows in error":  {setupEvent, "EVENT_PARTICIPANT", strings.SplitAfter(reenteredFile, "\n")[0] + "Ada,,no address,Nowhere\n", `{}`},
	} {
		for _, partRows := range []int{1, 100} {
			t.Run(fmt.Sprintf("%s, beside parts of %d rows", name, partRows), func(t *testing.T) {
				t.Parallel()
				plain, e := c.setup(t), c.setup(t)
				imported := plain.createInEvent(t, c.importType, c.file, c.options)
				plain.runWhole(t, imported, partRows)

				before := e.entities(t)
				ref := e.planWhole(t, c.importType, c.file, c.options, job.Plan{Requested: true})
				require.Equal(t, before, e.entities(t), "nothing is written before the approval")
				require.Equal(t, plain.results(t, imported), e.results(t, ref), "the plan has the same results as the import")
				require.Error(t, e.complete.Run(t.Context(), ref))
				require.Empty(t, e.awaitApproval(t, ref), "the job waits for approval")

				require.NoError(t, e.approve(t, ref, job.SkipStale))
				again := e.queued
				late, err := e.wholeFile(t, 2).Run(t.Context(), ref)
				require.NoError(t, err, "an abandoned attempt writes nothing")
				require.Equal(t, callback.NextApproval, late.Next)
				require.Equal(t, before, e.entities(t))
				e.applyWhole(t, ref)
				for _, chunk := range again {
					require.NoError(t, e.process.Run(t.Context(), chunk), "a second delivery is harmless")
				}
				require.Equal(t, plain.job(t, imported).Progress.Counts, e.job(t, ref).Progress.Counts)
				require.Equal(t, plain.results(t, imported), e.results(t, ref))
				require.Equal(t, plain.result(t, imported), e.result(t, ref))
				require.Equal(t, plain.comparable(t), e.comparable(t))
				before.explains(t, e.changeSet(t, ref, false), e.entities(t))
				if len(e.changeSet(t, ref, false)) > 0 {
					e.undo(t, ref, rules.Safe)
					require.Equal(t, before, e.entities(t), "the plan can be undone like any import")
				}
			})
		}
	}
}

func setupEntered(t *testing.T) *engine {
	t.Helper()
	e := setupEvent(t)
	e.runWhole(t, e.createInEvent(t, "EVENT_PARTICIPANT", entries, `{}`), 100)
	return e
}

func setupRaced(t *testing.T) *engine {
	t.Helper()
	e := setupRace(t)
	e.runWhole(t, e.createInEvent(t, "RESULT", combined, `{"pointsCalculator": "wpca-road-league"}`), 100)
	return e
}

// TestChangedEntityMakesWholeFilePlanStale: the row is skipped, and the result reports it.
func TestChangedEntityMakesWholeFilePlanStale(t *testing.T) {
	t.Parallel()
	e := setupEntered(t)
	ref := e.planWhole(t, "EVENT_PARTICIPANT", reenteredFile, `{}`, job.Plan{Requested: true})
	e.awaitApproval(t, ref)
	e.Exec(t, `UPDATE event_participants SET race_number = '99' WHERE registration_number = 'R2'`)
	edited := e.entities(t)
	err := e.approve(t, ref, job.AbortOnStale)
	require.Equal(t, problem.PlanStale, problem.CodeOf(err), "%v", err)
	require.Equal(t, edited, e.entities(t))

	e.Exec(t, `UPDATE import_jobs SET on_stale = 'skip' WHERE applied_at IS NOT NULL`)
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.applyWhole(t, ref)
	require.Equal(t, []string{"2 SKIPPED  PLAN_STALE", "3 UNCHANGED", "4 ERROR FIRST_NAME CELL_REQUIRED", "5 CREATED"}, e.results(t, ref))
	require.Equal(t, "99", postgrestest.Query[string](t, e.Database, `SELECT race_number FROM event_participants WHERE registration_number = 'R2'`))
	result := e.result(t, ref)
	require.Equal(t, []any{1.0, 0.0, 1.0}, []any{result["created"], result["updated"], result["skipped"]}, "the result counts written rows, not planned ones")
}

// TestWholeFilePlanDeadLetter: the plan is written as one chunk and can fail like one.
func TestWholeFilePlanDeadLetter(t *testing.T) {
	t.Parallel()
	e := setupEntered(t)
	ref := e.planWhole(t, "EVENT_PARTICIPANT", reenteredFile, `{}`, job.Plan{Requested: true})
	e.awaitApproval(t, ref)
	before := e.entities(t)
	require.NoError(t, e.approve(t, ref, job.SkipStale))
	require.Len(t, e.queued, 1)
	e.failFirstChunk(t, ref)
	require.Equal(t, []string{"2 ERROR  ROW_UNDELIVERED", "3 UNCHANGED", "4 ERROR FIRST_NAME CELL_REQUIRED", "5 ERROR  ROW_UNDELIVERED"}, e.results(t, ref))
	require.Equal(t, 3.0, e.result(t, ref)["errors"])
	require.True(t, e.job(t, ref).Progress.Reconciles())
	require.Equal(t, before, e.entities(t))
}

func TestGuardsApplyToWholeFiles(t *testing.T) {
	t.Parallel()
	for limit, waits := range map[job.ErrorLimit]bool{"3": false, "2": true} {
		t.Run(string(limit), func(t *testing.T) {
			t.Parallel()
			e := setupEvent(t)
			ref := e.planWhole(t, "EVENT_PARTICIPANT", entries, `{}`, job.Plan{Guards: job.Guards{Created: limit}})
			completed := e.awaitApproval(t, ref)
			if waits {
				require.Empty(t, completed)
				require.Equal(t, job.AwaitingApproval, e.job(t, ref).Status)
				return
			}
			require.Equal(t, []string{callback.NextApply}, completed)
			require.NoError(t, e.split.Run(t.Context(), ref))
			e.applyWhole(t, ref)
			require.Equal(t, outcomesOfEntries, e.results(t, ref))
		})
	}
}

// A complete list deletes the results that it does not contain. They count as created and as updated.
func TestGuardsCountDeletions(t *testing.T) {
	t.Parallel()
	const list = listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\nElite,3,R13,1:20:00,\nElite,4,R14,,DNF\n"
	for name, c := range map[string]struct {
		guards job.Guards
		waits  bool
	}{
		"as many deleted as may be updated": {job.Guards{Updated: "3"}, false},
		"more deleted than may be updated":  {job.Guards{Updated: "2"}, true},
		"more deleted than may be created":  {job.Guards{Created: "2"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setupRace(t)
			e.runWhole(t, e.createInEvent(t, "RESULT", list, scored), 100)
			ref := e.planWhole(t, "RESULT", listHeader+"Elite,1,R11,1:00:00,\n", wholeList, job.Plan{Guards: c.guards})
			completed := e.awaitApproval(t, ref)
			require.Equal(t, c.waits, len(completed) == 0, "%v", completed)
		})
	}
}

// TestPlanOverErrorLimitFails before the question is asked, although the limit is exceeded only
// in the last row.
func TestPlanOverErrorLimitFails(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	ref := e.planWhole(t, "EVENT_PARTICIPANT", entries, `{}`, job.Plan{Requested: true})
	e.Exec(t, `UPDATE import_jobs SET max_errors = '3'`)
	w := &stubTokens{}
	step := await.New(e.DB, w, w, catalog.New(), steptest.EventRecorder{Recorder: noopRecorder{}})
	err := step.Run(t.Context(), await.Input{Ref: ref, Phase: job.PhaseApproval, TaskToken: "T"})
	require.Equal(t, problem.TooManyErrors, problem.CodeOf(err), "%v", err)
	require.Equal(t, job.Processing, e.job(t, ref).Status, "the error fails the execution, which then fails the import")
	e.Exec(t, `UPDATE import_jobs SET max_errors = '4'`)
	require.Empty(t, e.awaitApproval(t, ref))
	require.Equal(t, job.AwaitingApproval, e.job(t, ref).Status)
}

// TestWholeFilePlanRowLimit: all rows would be written in one transaction.
func TestWholeFilePlanRowLimit(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	var file strings.Builder
	file.WriteString("First name,Last name,Email,Category\n")
	for i := range 20_001 {
		fmt.Fprintf(&file, "Ada,A%d,ada%d@x.org,Junior\n", i, i)
	}
	ref := e.create(t, "EVENT_PARTICIPANT", "plan.csv", file.String(), func(j *job.Job) {
		event := int64(1)
		j.WholeFile, j.SkipMapping, j.ContextID, j.Mode, j.Plan = true, true, &event, rowwrite.Upsert, &job.Plan{Guards: job.Guards{Created: "5"}}
	})
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	_, err = e.wholeFile(t, 2000).Run(t.Context(), ref)
	require.Equal(t, problem.TooManyRows, problem.CodeOf(err), "%v", err)
	require.Contains(t, problem.From(err).Message, "20001 rows")
	require.Zero(t, e.job(t, ref).Progress.ChunkTotal)
}
