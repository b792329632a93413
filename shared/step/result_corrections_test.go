package step_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const (
	listHeader = "Category,Seq,REGID,Time,Status\n"
	byRegid    = `{"participantIdMode": "regid"}`
	scored     = `{"participantIdMode": "regid", "pointsCalculator": "sa-school"}`
	league     = `{"participantIdMode": "regid", "pointsCalculator": "wpca-road-league"}`
	wholeList  = `{"participantIdMode": "regid", "pointsCalculator": "sa-school", "complete": true}`
)

// standings returns the results: sequence, registration number, position, time in seconds, status
// and points.
func (e *engine) standings(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(concat_ws(' ', r.sequence, p.registration_number, coalesce(r.position::text, '-'), coalesce(r.time_ms / 1000, 0), r.status, r.points) ORDER BY r.category_id, r.sequence)
		FROM results AS r JOIN event_participants AS p ON p.id = r.participant_id`)
}

// TestCorrectedResultLists imports a list and then its correction. What a line leaves out comes
// from the same participant's result, never from the one who had the sequence before, and positions
// and points fit the list.
func TestCorrectedResultLists(t *testing.T) {
	t.Parallel()
	const first = listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\nElite,3,R13,,DNF\n"
	for name, c := range map[string]struct {
		first, second, options string
		outcomes, want         []string
		warnings               []string
	}{
		"late finisher takes the place of a DNF": {
			first, listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\nElite,3,R14,1:20:00,\nElite,4,R13,,DNF\n", scored,
			[]string{"2 UNCHANGED", "3 UNCHANGED", "4 UPDATED", "5 CREATED"},
			[]string{"1 R11 1 3600 FINISHED 100.00", "2 R12 2 4500 FINISHED 80.00", "3 R14 3 4800 FINISHED 75.00", "4 R13 - 0 DNF"}, nil,
		},
		"a DNF who finished after all": {
			first, listHeader + "Elite,3,R13,1:30:00,\n", scored,
			[]string{"2 UPDATED"}, []string{"1 R11 1 3600 FINISHED 100.00", "2 R12 2 4500 FINISHED 80.00", "3 R13 3 5400 FINISHED 66.67"},
			[]string{"RESULTS_KEPT"},
		},
		"reinstated winner": {
			listHeader + "Elite,1,R11,1:00:00,DSQ\nElite,2,R12,1:15:00,\n", listHeader + "Elite,1,R11,1:00:00,\n", scored,
			[]string{"2 UPDATED"}, []string{"1 R11 1 3600 FINISHED 100.00", "2 R12 2 4500 FINISHED 80.00"}, []string{"RESULTS_KEPT"},
		},
		"without a status column a DNF stays a DNF": {
			listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,,DNF\n", "Category,Seq,REGID,Time\nElite,2,R13,1:05:00\nElite,3,R12,1:10:00\n", scored,
			[]string{"2 UPDATED", "3 CREATED TIME STATUS_KEPT"},
			[]string{"1 R11 1 3600 FINISHED 100.00", "2 R13 2 3900 FINISHED 92.31", "3 R12 - 4200 DNF"}, []string{"RESULTS_KEPT"},
		},
		"neither time nor status": {
			listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,,DNF\n", "Category,Seq,REGID,Time\nElite,2,R13,1:05:00\nElite,3,R12,\n", scored,
			[]string{"2 UPDATED SEQUENCE RESULT_MOVED", "3 ERROR TIME CELL_REQUIRED"},
			[]string{"1 R11 1 3600 FINISHED 100.00", "2 R13 2 3900 FINISHED 92.31", "4 R12 - 0 DNF"}, []string{"RESULTS_KEPT"},
		},
		"winner disqualified to the end": {
			first, listHeader + "Elite,1,R12,1:15:00,\nElite,2,R13,,DNF\nElite,3,R11,,DSQ\n", scored,
			[]string{"2 UPDATED", "3 UPDATED", "4 UPDATED"},
			[]string{"1 R12 1 4500 FINISHED 100.00", "2 R13 - 0 DNF", "3 R11 - 3600 DSQ"}, nil,
		},
		"place of another participant without a time": {
			"Category,Seq,REGID,Time\nElite,1,R11,1:00:00\nElite,2,R12,1:15:00\n", "Category,Seq,REGID\nElite,2,R13\n", scored,
			[]string{"2 UPDATED SEQUENCE RESULT_MOVED"},
			[]string{"1 R11 1 3600 FINISHED 100.00", "2 R13 2 0 FINISHED", "3 R12 3 4500 FINISHED 80.00"}, []string{"RESULTS_KEPT"},
		},
		"new list after ties": {
			"Category,Seq,REGID,Pos,Time\nElite,1,R11,1,1:00:00\nElite,2,R12,2,1:01:00\nElite,3,R13,2,1:01:00\nElite,4,R14,4,1:02:00\n",
			"Category,Seq,REGID,Time\nElite,1,R11,1:00:00\nElite,2,R12,1:01:00\nElite,3,R13,1:01:30\nElite,4,R14,1:02:00\n", league,
			[]string{"2 UPDATED", "3 UPDATED", "4 UPDATED", "5 UPDATED"},
			[]string{"1 R11 1 3600 FINISHED 50", "2 R12 2 3660 FINISHED 40", "3 R13 3 3690 FINISHED 32", "4 R14 4 3720 FINISHED 26"}, nil,
		},
		"only the winner's corrected line": {
			listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\nElite,3,R13,2:00:00,\n", listHeader + "Elite,1,R11,0:30:00,\n", scored,
			[]string{"2 UPDATED"}, []string{"1 R11 1 1800 FINISHED 100.00", "2 R12 2 4500 FINISHED 40.00", "3 R13 3 7200 FINISHED 25.00"}, []string{"RESULTS_KEPT"},
		},
		"only the line of the disqualified winner": {
			listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\nElite,3,R13,2:00:00,\n", listHeader + "Elite,1,R11,,DSQ\n", scored,
			[]string{"2 UPDATED"}, []string{"1 R11 - 3600 DSQ", "2 R12 1 4500 FINISHED 100.00", "3 R13 2 7200 FINISHED 62.50"}, []string{"RESULTS_KEPT"},
		},
		"written positions are kept": {
			"Category,Seq,REGID,Pos,Time,Status\nElite,1,R11,1,1:00:00,\nElite,2,R12,2,1:15:00,\n", listHeader + "Elite,1,R11,,DSQ\n", league,
			[]string{"2 UPDATED"}, []string{"1 R11 - 3600 DSQ", "2 R12 2 4500 FINISHED 40"}, []string{"RESULTS_KEPT"},
		},
		"calculator left out": {
			listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\n", listHeader + "Elite,2,R12,1:30:00,\n", byRegid,
			[]string{"2 UPDATED"}, []string{"1 R11 1 3600 FINISHED 100.00", "2 R12 2 5400 FINISHED 66.67"}, []string{"RESULTS_KEPT"},
		},
		"no calculator": {
			listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\n", listHeader + "Elite,2,R12,1:30:00,\n", `{"participantIdMode": "regid", "pointsCalculator": "none"}`,
			[]string{"2 UPDATED"}, []string{"1 R11 1 3600 FINISHED", "2 R12 2 5400 FINISHED"}, []string{"RESULTS_KEPT", "POINTS_REMOVED"},
		},
		"another calculator for one line": {
			listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\n", listHeader + "Elite,2,R12,1:15:00,\n", league,
			[]string{"2 UPDATED"}, []string{"1 R11 1 3600 FINISHED 50", "2 R12 2 4500 FINISHED 40"}, []string{"RESULTS_KEPT"},
		},
		"winner without a time": {
			listHeader + "Elite,1,R11,1:00:00,\n", "Category,Seq,REGID,Time,Status\nElite,1,R12,,FINISHED\nElite,2,R11,1:00:00,\n", scored,
			[]string{"2 UPDATED", "3 CREATED"}, []string{"1 R12 1 0 FINISHED", "2 R11 2 3600 FINISHED"}, []string{"POINTS_INCOMPLETE"},
		},
		"rider taken out of a list": {
			listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\nElite,3,R13,1:20:00,\nElite,4,R14,1:30:00,\n",
			listHeader + "Elite,1,R11,1:00:00,\nElite,2,R13,1:20:00,\nElite,3,R14,1:30:00,\n", wholeList,
			[]string{"2 UNCHANGED", "3 UPDATED", "4 UPDATED"},
			[]string{"1 R11 1 3600 FINISHED 100.00", "2 R13 2 4800 FINISHED 75.00", "3 R14 3 5400 FINISHED 66.67"}, []string{"RESULTS_REMOVED"},
		},
		"rider missing from a list": {
			listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\nElite,3,R13,1:20:00,\nElite,4,R14,1:30:00,\n",
			listHeader + "Elite,1,R11,1:00:00,\nElite,2,R13,1:20:00,\nElite,3,R14,1:30:00,\n", scored,
			[]string{"2 UNCHANGED", "3 UPDATED SEQUENCE RESULT_MOVED", "4 UPDATED"},
			[]string{"1 R11 1 3600 FINISHED 100.00", "2 R13 2 4800 FINISHED 75.00", "3 R14 3 5400 FINISHED 66.67", "4 R12 4 4500 FINISHED 80.00"}, []string{"RESULTS_KEPT"},
		},
		"rider whose row is in error is not missing": {
			first, listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:99:00,\n", wholeList,
			[]string{"2 UNCHANGED", "3 ERROR TIME CELL_PATTERN"},
			[]string{"1 R11 1 3600 FINISHED 100.00", "2 R12 2 4500 FINISHED 80.00", "3 R13 - 0 DNF"}, []string{"RESULTS_KEPT"},
		},
		"two lines of one participant": {
			first, listHeader + "Elite,1,R12,1:00:00,\nElite,2,R11,1:15:00,\nElite,3,R11,1:20:00,\n", scored,
			[]string{"2 UPDATED SEQUENCE RESULT_MOVED", "3 ERROR PARTICIPANT_ID ROW_DUPLICATE", "4 ERROR PARTICIPANT_ID ROW_DUPLICATE"},
			[]string{"1 R12 1 3600 FINISHED 100.00", "3 R13 - 0 DNF", "4 R11 2 3600 FINISHED 100.00"}, []string{"RESULTS_KEPT"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setupRace(t)
			e.runWhole(t, e.createInEvent(t, "RESULT", c.first, scored), 100)
			before := e.entities(t)
			ref := e.createInEvent(t, "RESULT", c.second, c.options)
			result := e.runWhole(t, ref, 100)
			require.Equal(t, c.outcomes, e.results(t, ref))
			require.Equal(t, c.want, e.standings(t))
			var codes []string
			for _, w := range e.job(t, ref).WarningCodes {
				code, _, _ := strings.Cut(w, ":")
				codes = append(codes, code)
			}
			require.Equal(t, c.warnings, codes)
			reconciliation := result["reconciliation"].(map[string]any)
			require.Equal(t, reconciliation["fileLines"], reconciliation["successCount"].(float64)+reconciliation["errorCount"].(float64)+reconciliation["headerRows"].(float64))
			after := e.entities(t)
			before.explains(t, e.changeSet(t, ref, false), after)
			if len(e.changeSet(t, ref, false)) == 0 {
				return
			}
			e.undo(t, ref, rules.Safe)
			require.Equal(t, before, e.entities(t), "undone like any change")

			plan := e.planWhole(t, "RESULT", c.second, c.options, job.Plan{Requested: true})
			e.awaitApproval(t, plan)
			require.NoError(t, e.approve(t, plan, job.SkipStale))
			e.applyWhole(t, plan)
			require.Equal(t, c.want, e.standings(t), "the plan has the same effect")
		})
	}
}

// TestLateFinishersOfLargeList: a corrected list of 500 in which late finishers take the places of
// DNFs.
func TestLateFinishersOfLargeList(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	const riders = 500
	e.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (1, 1, 'Marathon')`)
	e.Exec(t, `INSERT INTO event_categories (id, organisation_id, event_id, name) VALUES (1, 1, 1, 'Elite')`)
	e.Exec(t, `INSERT INTO persons (id, organisation_id, identity_key, first_name, last_name) OVERRIDING SYSTEM VALUE
		SELECT n, 1, 'id:' || n, 'First', 'Last' FROM generate_series(1, $1) AS n`, riders)
	e.Exec(t, `INSERT INTO event_participants (id, organisation_id, event_id, person_id, category_id, registration_number)
		SELECT n, 1, 1, n, 1, 'R' || n FROM generate_series(1, $1) AS n`, riders)
	list := func(finishers int) string {
		var b strings.Builder
		b.WriteString(listHeader)
		for n := 1; n <= riders; n++ {
			if n <= finishers {
				fmt.Fprintf(&b, "Elite,%d,R%d,1:%02d:%02d,\n", n, n, n/60, n%60)
			} else {
				fmt.Fprintf(&b, "Elite,%d,R%d,,DNF\n", n, riders+finishers+1-n)
			}
		}
		return b.String()
	}
	e.runWhole(t, e.createInEvent(t, "RESULT", list(470), scored), 100)
	again := e.createInEvent(t, "RESULT", list(470), scored)
	e.runWhole(t, again, 100)
	require.Equal(t, job.Counts{Unchanged: riders}, e.job(t, again).Progress.Counts)
	require.Empty(t, e.changeSet(t, again, false))
	e.runWhole(t, e.createInEvent(t, "RESULT", list(476), scored), 100)
	require.Equal(t, []int64{476, 476, 476}, postgrestest.Query[[]int64](t, e.Database, `
		SELECT ARRAY[count(*) FILTER (WHERE status = 'FINISHED'), count(points), max(position)] FROM results`))
	require.Zero(t, postgrestest.Query[int64](t, e.Database, `
		SELECT count(*) FROM results WHERE points <> round(100.0 * (SELECT min(time_ms) FROM results) / time_ms, 2)`))
}

// TestStaleResultPlanWritesNothing: points depend on the whole category, so a plan of results is
// written completely or not at all.
func TestStaleResultPlanWritesNothing(t *testing.T) {
	t.Parallel()
	e := setupRace(t)
	e.runWhole(t, e.createInEvent(t, "RESULT", listHeader+"Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\nElite,3,R13,2:00:00,\n", scored), 100)
	plan := e.planWhole(t, "RESULT", listHeader+"Elite,1,R11,0:30:00,\nElite,2,R12,1:00:00,\n", scored, job.Plan{Requested: true})
	e.awaitApproval(t, plan)
	e.runWhole(t, e.createInEvent(t, "RESULT", listHeader+"Elite,2,R12,1:20:00,\n", scored), 100)
	before := e.standings(t)
	require.NoError(t, e.approve(t, plan, job.SkipStale))
	e.applyWhole(t, plan)
	require.Equal(t, before, e.standings(t))
	require.Equal(t, []string{"2 SKIPPED  PLAN_STALE", "3 SKIPPED  PLAN_STALE"}, e.results(t, plan))
}

// TestAddedResultMakesPlanStale: a result that is added between the plan and its approval would be
// left with points or a place that do not fit, or would not be part of the complete list.
func TestAddedResultMakesPlanStale(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ planned, added, options, stale string }{
		"finisher":                 {listHeader + "Elite,1,R11,0:30:00,\n", listHeader + "Elite,4,R14,2:30:00,\n", scored, "2 SKIPPED  PLAN_STALE"},
		"missing in complete list": {listHeader + "Elite,1,R11,1:00:00,\nElite,2,R12,1:14:00,\n", listHeader + "Elite,4,R14,,DNF\n", wholeList, "3 SKIPPED  PLAN_STALE"},
	} {
		for _, onStale := range []job.StalePolicy{job.SkipStale, job.OverwriteStale, job.AbortOnStale} {
			t.Run(name+" "+string(onStale), func(t *testing.T) {
				t.Parallel()
				e := setupRace(t)
				e.runWhole(t, e.createInEvent(t, "RESULT", listHeader+"Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\nElite,3,R13,2:00:00,\n", scored), 100)
				plan := e.planWhole(t, "RESULT", c.planned, c.options, job.Plan{Requested: true})
				e.awaitApproval(t, plan)
				e.runWhole(t, e.createInEvent(t, "RESULT", c.added, scored), 100)
				before := e.standings(t)
				if err := e.approve(t, plan, onStale); onStale == job.AbortOnStale {
					require.Equal(t, problem.PlanStale, problem.CodeOf(err))
				} else {
					require.NoError(t, err)
					e.applyWhole(t, plan)
					require.Contains(t, e.results(t, plan), c.stale)
				}
				require.Equal(t, before, e.standings(t))
			})
		}
	}
}

// TestUndoBetweenResultImports: points and positions fit the times after an import between others
// was undone.
func TestUndoBetweenResultImports(t *testing.T) {
	t.Parallel()
	e := setupRace(t)
	run := func(list string) job.Ref {
		ref := e.createInEvent(t, "RESULT", listHeader+list, scored)
		e.runWhole(t, ref, 100)
		return ref
	}
	run("Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\nElite,3,R13,2:00:00,\n")
	winner := run("Elite,1,R11,0:30:00,\n")
	run("Elite,2,R12,1:20:00,\nElite,4,R14,2:30:00,\n")
	require.Equal(t, []string{"1 R11 1 1800 FINISHED 100.00", "2 R12 2 4800 FINISHED 37.50", "3 R13 3 7200 FINISHED 25.00", "4 R14 4 9000 FINISHED 20.00"}, e.standings(t))
	before := e.entities(t)
	undone := e.undo(t, winner, rules.Safe)
	require.Equal(t, []string{"1 R11 1 3600 FINISHED 100.00", "2 R12 2 4800 FINISHED 75.00", "3 R13 3 7200 FINISHED 50.00", "4 R14 4 9000 FINISHED 40.00"}, e.standings(t))
	require.Equal(t, []string{"1 UNDONE", "2 UNDONE", "3 UNDONE"}, e.results(t, undone), "points that were computed again do not stay")
	changes := slices.DeleteFunc(e.changeSet(t, undone, false), func(c changeset.Change) bool { return c.IsInternal() })
	before.explains(t, changes, e.entities(t))
	e.undo(t, undone, rules.Safe)
	require.Equal(t, before, e.entities(t))

	disqualified := run("Elite,1,R11,,DSQ\n")
	run("Elite,5,R15,3:00:00,\n")
	e.undo(t, disqualified, rules.Safe)
	require.Equal(t, []string{
		"1 R11 1 1800 FINISHED 100.00", "2 R12 2 4800 FINISHED 37.50", "3 R13 3 7200 FINISHED 25.00", "4 R14 4 9000 FINISHED 20.00", "5 R15 5 10800 FINISHED 16.67",
	}, e.standings(t))
}

// TestUndoKeepsLaterScoring: an undo keeps the points of a later import that scored the category with
// another calculator, and reports it.
func TestUndoKeepsLaterScoring(t *testing.T) {
	t.Parallel()
	e := setupRace(t)
	run := func(list, options string) job.Ref {
		ref := e.createInEvent(t, "RESULT", listHeader+list, options)
		e.runWhole(t, ref, 100)
		return ref
	}
	run("Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\n", byRegid)
	school := run("Elite,1,R11,0:30:00,\n", scored)
	run("Elite,3,R13,2:00:00,\n", league)
	before := e.standings(t)
	undone := e.undo(t, school, rules.Safe)
	after := e.standings(t)
	require.Equal(t, []string{"1 KEPT_LATER_EDIT POINTS_CALCULATOR KEPT_LATER_EDIT", "2 KEPT_LATER_EDIT POINTS_CALCULATOR KEPT_LATER_EDIT"}, e.results(t, undone))
	require.Equal(t, strings.Replace(before[0], " 1800 ", " 3600 ", 1), after[0], "the time is restored, the points of the later calculator stay")
	require.Equal(t, before[1:], after[1:])
}

// TestUndoDeletesRecomputedResults: a result that only a later import has ranked and scored again is
// deleted by the undo of the import that created it, and a later edit of it is kept.
func TestUndoDeletesRecomputedResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode           rules.Mode
		preview        bool
		edit           string
		left, outcomes []string
	}{
		"safe":    {rules.Safe, false, ``, []string{"1 R13 1 1800 FINISHED 100.00"}, []string{"1 UNDONE", "2 UNDONE"}},
		"cascade": {rules.Cascade, true, ``, []string{"1 R13 1 1800 FINISHED 100.00"}, []string{"1 UNDONE", "2 UNDONE", "3 UNDONE", "4 UNDONE"}},
		"edited time": {rules.Safe, false, `UPDATE results SET time_ms = 7200000 WHERE sequence = 3`,
			[]string{"1 R13 1 1800 FINISHED 100.00", "3 R12 2 7200 FINISHED 25.00"}, []string{"1 KEPT_LATER_EDIT  KEPT_LATER_EDIT", "2 UNDONE"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setupRace(t)
			run := func(list string) job.Ref {
				ref := e.createInEvent(t, "RESULT", listHeader+list, scored)
				e.runWhole(t, ref, 100)
				return ref
			}
			first := run("Elite,2,R11,1:00:00,\nElite,3,R12,1:15:00,\n")
			later := run("Elite,1,R13,0:30:00,\n")
			if c.edit != "" {
				e.Exec(t, c.edit)
			}
			before := e.entities(t)
			if c.preview {
				require.Equal(t, c.outcomes, e.results(t, e.runUndo(t, first, c.mode, true)))
				require.Equal(t, before, e.entities(t))
			}
			undone := e.undo(t, first, c.mode)
			require.Equal(t, c.outcomes, e.results(t, undone))
			require.Equal(t, c.left, e.standings(t))
			if c.edit != "" {
				return
			}
			e.undo(t, undone, rules.Safe)
			require.Equal(t, before, e.entities(t))
			e.undo(t, first, rules.Safe)
			require.NotContains(t, strings.Join(e.results(t, e.undo(t, later, rules.Safe)), "\n"), "KEPT", "points of results that no longer exist do not matter")
			require.Empty(t, e.standings(t))
		})
	}
}

// TestResultInAnotherCategoryIsWarned: by the roster that moves a participant, and by a list without
// the category of the other result. A list that contains both categories says what it means.
func TestResultInAnotherCategoryIsWarned(t *testing.T) {
	t.Parallel()
	e := setupRace(t)
	e.runWhole(t, e.createInEvent(t, "RESULT", listHeader+"Elite,1,R11,1:00:00,\nElite,2,R12,1:15:00,\n", byRegid), 100)
	const rosterHeader = "First name,Last name,Identity number,Category\n"
	roster := func(rows string) []string {
		ref := e.createInEvent(t, "EVENT_PARTICIPANT", rosterHeader+rows, `{}`)
		e.runWhole(t, ref, 1)
		return e.results(t, ref)
	}
	e.Exec(t, `UPDATE persons SET identity_number = substr(identity_key, 4)`)
	const moves = "First,Last,11,Junior\nFirst,Last,13,Junior\nFirst,Last,12,Elite\n"
	require.Equal(t, []string{"2 UPDATED EVENT_CATEGORY_NAME RESULT_ELSEWHERE", "3 UPDATED", "4 UNCHANGED"}, roster(moves))
	require.Equal(t, []string{"2 UNCHANGED", "3 UNCHANGED", "4 UNCHANGED"}, roster(moves))

	warnings := func(list, options string) []string {
		ref := e.createInEvent(t, "RESULT", listHeader+list, options)
		e.runWhole(t, ref, 1)
		return e.job(t, ref).WarningCodes
	}
	const junior = "Junior,1,R11,1:00:00,\nJunior,2,R13,1:30:00,\n"
	require.Equal(t, []string{"RESULT_ELSEWHERE: 1 participants (Junior) also have a result in a category that is not in the file. If they moved, remove it: import the list of that category with complete=true."}, warnings(junior, byRegid))
	require.Empty(t, warnings(junior+"Elite,1,R12,1:15:00,\n", wholeList)[1:], "the other result is removed, and counted")
	require.Empty(t, warnings(junior, byRegid))
}

// TestTimesThatMayBeHours: times with two numbers are read as minutes and seconds, with a warning if
// all of them may be hours and minutes.
func TestTimesThatMayBeHours(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		times  []string
		unsure bool
	}{
		"hours and minutes in CSV": {[]string{"1:12", "2:03", "10:59"}, true},
		"minutes and seconds":      {[]string{"17:30", "24:10", "18:05"}, false},
		"some with hours":          {[]string{"0:59:30", "1:12", "1:12:05"}, false},
		"fractions":                {[]string{"1:12.5", "1:13", "1:14"}, false},
		"no times":                 {[]string{"", "", ""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setupRace(t)
			file := "Category,Seq,REGID,Time,Status\n"
			for i, text := range c.times {
				status := ""
				if text == "" {
					status = "DNS"
				}
				file += fmt.Sprintf("Elite,%d,R%d,%s,%s\n", i+1, 11+i, text, status)
			}
			ref := e.createInEvent(t, "RESULT", file, byRegid)
			e.runWhole(t, ref, 100)
			warned := slices.ContainsFunc(e.job(t, ref).WarningCodes, func(w string) bool { return strings.HasPrefix(w, string(problem.TimeUnitUnsure)+": All 3 times") })
			require.Equal(t, c.unsure, warned, "%v", e.job(t, ref).WarningCodes)
		})
	}
}
