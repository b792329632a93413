package step_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
	"github.com/loadbay/loadbay/shared/step/analyze"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// createReviewedInEvent creates a job with questions for a file of event 1.
func (e *engine) createReviewedInEvent(t *testing.T, importType, file, options string) job.Ref {
	t.Helper()
	return e.create(t, importType, "file.csv", file, func(j *job.Job) {
		event := int64(1)
		j.WholeFile, j.AutoStart, j.ContextID, j.Mode, j.Options = true, false, &event, rowwrite.Upsert, json.RawMessage(options)
	})
}

const shirts = "First name,Last name,Email,Category,Custom 1,Custom 2\n" +
	"Ada,Lovelace,ada@x.org,Elite men,Small,Bleu\n" + // row 2
	"first name,LAST NAME,email,category,custom 1,custom 2\n" +
	"Ben,Bolt,ben@x.org,JUNIOR,small,Blue\n" + // row 4
	"Cid,Cole,cid@x.org,Spectators,Huge,\n" + // row 5
	"Dan,Dale,dan@x.org,Junior,Huge,none\n" // row 6

// TestWholeFileAsksForValues: an event's categories and lists are asked about like references.
func TestWholeFileAsksForValues(t *testing.T) {
	t.Parallel()
	for _, partRows := range []int{1, 100} {
		e := setupEvent(t)
		list := postgrestest.Query[int64](t, e.Database, `INSERT INTO custom_lists (organisation_id, event_id, place, name) VALUES (1, 1, 2, 'Colours') RETURNING id`)
		e.Exec(t, `INSERT INTO custom_list_values (organisation_id, list_id, value) VALUES (1, $1, 'Blue')`, list)
		ref := e.createReviewedInEvent(t, "EVENT_PARTICIPANT", shirts, `{"createCustom2": "false"}`)
		open := e.runUntilValues(t, ref, resolve.NextWholeFileCells)
		require.Equal(t, job.AutoMatched, open["EVENT_CATEGORY_NAME JUNIOR"].Status)
		require.Equal(t, job.AutoMatched, open["CUSTOM_LIST_1 Huge"].Status, "the value is to be added to its list")
		require.True(t, open["CUSTOM_LIST_1 Huge"].Create)
		require.Equal(t, job.Unresolved, open["CUSTOM_LIST_2 Bleu"].Status, "values are not added to this list")

		err := e.review().DecideCells(t.Context(), ref, "", []review.CellDecision{{ID: open["CUSTOM_LIST_2 Bleu"].ID, Create: true}})
		require.Equal(t, problem.MappingInvalid, problem.CodeOf(err))
		err = e.review().DecideCells(t.Context(), ref, "", []review.CellDecision{{ID: open["EVENT_CATEGORY_NAME Spectators"].ID, Create: true}})
		require.Equal(t, problem.MappingInvalid, problem.CodeOf(err))
		e.decideValues(t, ref,
			review.CellDecision{ID: open["EVENT_CATEGORY_NAME Elite men"].ID, TargetValue: "élite"}, review.CellDecision{ID: open["EVENT_CATEGORY_NAME Spectators"].ID, Ignore: true},
			review.CellDecision{ID: open["CUSTOM_LIST_2 Bleu"].ID, TargetValue: "BLUE"}, review.CellDecision{TargetField: "CUSTOM_LIST_2", Empty: true})
		result := e.runWhole(t, ref, partRows)
		require.Equal(t, []string{"2 CREATED", "4 CREATED", "5 SKIPPED EVENT_CATEGORY_NAME CELL_UNRESOLVED", "6 CREATED"}, e.results(t, ref))
		require.True(t, e.job(t, ref).Progress.Reconciles(), "%+v", e.job(t, ref).Progress)
		require.Equal(t, 1.0, result["skipped"])
		require.Equal(t, 2.0, result["headerRows"])
		require.Equal(t, []any{2.0, 0.0, 0.0}, result["customValuesCreated"])
		require.Equal(t, []string{"Ada Élite Small Blue", "Ben Junior Small Blue", "Dan Junior Huge"}, postgrestest.Query[[]string](t, e.Database, `
			SELECT array_agg(concat_ws(' ', p.first_name, c.name, v1.value, v2.value) ORDER BY e.source_row)
			FROM event_participants AS e JOIN persons AS p ON p.id = e.person_id JOIN event_categories AS c ON c.id = e.category_id
			LEFT JOIN custom_list_values AS v1 ON v1.id = e.custom1_id LEFT JOIN custom_list_values AS v2 ON v2.id = e.custom2_id`))
	}
}

// TestResultsAskForValues: in a file with several blocks, the first header defines the columns.
// Repeated headers are not rows.
func TestResultsAskForValues(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	e.runWhole(t, e.createInEvent(t, "EVENT_PARTICIPANT", entries, `{}`), 100)
	file := "Category,Seq,Regid,Pos,Time,Result status,Weather\n" +
		"ELITE,1,R1,1,1:00:00,klassiert,fine\n" +
		"\n" +
		"category,seq,regid,pos,time,result status,weather\n" +
		"Junior,1,R2,1,1:10:00,aufgegeben,\n"
	ref := e.createReviewedInEvent(t, "RESULT", file, `{"participantIdMode": "regid"}`)
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, analyze.NextColumns, next.Next, "no field matches the column Weather")
	open := e.runUntilValues(t, ref, resolve.NextWholeFileCells)
	require.Len(t, open, 4, "the repeated header has no values")
	require.Equal(t, []string{"aufgegeben", "klassiert"}, []string{open["STATUS aufgegeben"].Value, open["STATUS klassiert"].Value})
	e.decideValues(t, ref, review.CellDecision{ID: open["EVENT_CATEGORY_NAME ELITE"].ID, TargetValue: "Élite"},
		review.CellDecision{ID: open["STATUS aufgegeben"].ID, TargetValue: "dnf"}, review.CellDecision{TargetField: "STATUS", TargetValue: "FINISHED"})
	e.runWhole(t, ref, 100)
	require.Equal(t, []string{"2 CREATED", "5 CREATED"}, e.results(t, ref))
	require.Equal(t, []string{"Élite FINISHED", "Junior DNF"}, postgrestest.Query[[]string](t, e.Database,
		`SELECT array_agg(c.name || ' ' || r.status ORDER BY r.source_row) FROM results AS r JOIN event_categories AS c ON c.id = r.category_id`))
}

// TestRenamedCategoryIsFoundByID: a category that is renamed while the import waits stays the one
// that its values were matched to, automatically or by a person.
func TestRenamedCategoryIsFoundByID(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	ref := e.createReviewedInEvent(t, "EVENT_PARTICIPANT", "First name,Last name,Email,Category\nAda,A,ada@x.org,Junior\nBen,B,ben@x.org,Kids\nCid,C,cid@x.org,Men\n", `{}`)
	open := e.runUntilValues(t, ref, resolve.NextWholeFileCells)
	e.Exec(t, `UPDATE event_categories SET name = 'U19' WHERE name = 'Junior'`)
	e.decideValues(t, ref, review.CellDecision{ID: open["EVENT_CATEGORY_NAME Kids"].ID, TargetValue: "U19"}, review.CellDecision{ID: open["EVENT_CATEGORY_NAME Men"].ID, TargetValue: "Élite"})
	e.Exec(t, `UPDATE event_categories SET name = 'Under 19' WHERE name = 'U19'`)
	e.runWhole(t, ref, 100)
	require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED"}, e.results(t, ref))
	require.Equal(t, []string{"Ada Under 19", "Ben Under 19", "Cid Élite"}, postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(p.first_name || ' ' || c.name ORDER BY p.first_name)
		FROM event_participants AS e JOIN persons AS p ON p.id = e.person_id JOIN event_categories AS c ON c.id = e.category_id`))
}

// TestKnownWholeFileAsksNothing: an import that skips questions reports it.
func TestKnownWholeFileAsksNothing(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	file := "First name,Last name,Email,Category\nAda,Lovelace,ada@x.org,Élite\n"
	ref := e.createReviewedInEvent(t, "EVENT_PARTICIPANT", file, `{}`)
	e.runUntilValues(t, ref, resolve.NextWholeFile)
	e.runWhole(t, ref, 100)
	require.Equal(t, []string{"2 CREATED"}, e.results(t, ref))

	require.Error(t, e.split.Run(t.Context(), ref), "executions of an older release cannot split such a file")

	skips := e.createInEvent(t, "EVENT_PARTICIPANT", file, `{}`)
	require.Contains(t, e.log.String(), `"skip_mapping_phases":true`)
	e.runWhole(t, skips, 100)
	require.Empty(t, e.cells(t, skips))
}

// TestLegacyWholeFileJobSkipsPhases: a job created before the setting existed asks nothing.
func TestLegacyWholeFileJobSkipsPhases(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	ref := e.createReviewedInEvent(t, "EVENT_PARTICIPANT", shirts, `{}`)
	e.Exec(t, `UPDATE import_jobs SET skip_mapping_phases = NULL, auto_start = true`)
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, analyze.NextWholeFile, next.Next)
	require.Equal(t, job.Processing, e.job(t, ref).Status)
}

// TestProfileAppliesToNextEvent: value decisions of one event apply to another event that has an
// entity of the same name.
func TestProfileAppliesToNextEvent(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	const entrants = "First name,Last name,Email,Category\nAda,Lovelace,ada@x.org,Elite men\n"
	ref := e.createReviewedInEvent(t, "EVENT_PARTICIPANT", entrants, `{}`)
	open := e.runUntilValues(t, ref, resolve.NextWholeFileCells)
	e.decideValues(t, ref, review.CellDecision{ID: open["EVENT_CATEGORY_NAME Elite men"].ID, TargetValue: "élite"})
	e.runWhole(t, ref, 100)
	e.createProfile(t, profile.Draft{Name: "Club", FromImport: ref.JobID})

	e.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (2, 1, 'Descent')`)
	e.Exec(t, `INSERT INTO event_categories (organisation_id, event_id, name) VALUES (1, 2, 'ÉLITE')`)
	ref = e.createReviewedInEvent(t, "EVENT_PARTICIPANT", entrants, `{}`)
	e.Exec(t, `UPDATE import_jobs SET context_id = 2 WHERE uuid = $1`, ref.JobID)
	e.useProfile(t, ref, "Club")
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	next, err := e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, resolve.NextWholeFile, next.Next, "no questions remain")
	e.runWhole(t, ref, 100)
	require.Equal(t, []string{"2 CREATED"}, e.results(t, ref))
}
