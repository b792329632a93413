package step_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/wholefile"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// wholeFile returns the step with parts of partRows rows.
func (e *engine) wholeFile(t *testing.T, partRows int) *wholefile.Step {
	t.Helper()
	s, err := wholefile.New(e.DB, e.memory, catalog.New(), telemetry.NewMetrics(e.metrics), wholefile.Config{PartRows: partRows, Reserve: time.Minute},
		sheet.DefaultLimits(), telemetry.NewLogger(io.Discard, slog.LevelDebug))
	require.NoError(t, err)
	return s
}

// createInEvent creates an analysed job for a file of event 1.
func (e *engine) createInEvent(t *testing.T, importType, file, options string) job.Ref {
	t.Helper()
	ref := e.create(t, importType, "file.csv", file, func(j *job.Job) {
		event := int64(1)
		j.WholeFile, j.SkipMapping, j.ContextID, j.Mode, j.Options = true, true, &event, rowwrite.Upsert, json.RawMessage(options)
	})
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "WHOLE_FILE", next.Next)
	return ref
}

// runWhole imports a file in one go and returns its result.
func (e *engine) runWhole(t *testing.T, ref job.Ref, partRows int) map[string]any {
	t.Helper()
	next, err := e.wholeFile(t, partRows).Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, callback.NextComplete, next.Next)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	return e.result(t, ref)
}

func (e *engine) result(t *testing.T, ref job.Ref) map[string]any {
	t.Helper()
	var result map[string]any
	require.NoError(t, json.Unmarshal(e.job(t, ref).ResultJSON, &result))
	return result
}

func setupEvent(t *testing.T) *engine {
	t.Helper()
	e := setup(t, 100)
	e.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (1, 1, 'Hill Climb')`)
	e.Exec(t, `INSERT INTO event_categories (organisation_id, event_id, name) VALUES (1, 1, 'Élite'), (1, 1, 'Junior')`)
	return e
}

const entries = "First name,Last name,Email,Category,Registration number,Bib,Custom 1,Custom 2\n" +
	"Ada,Lovelace,ada@x.org,élite,R1,1,Small,Blue\n" + // row 2
	"\n" +
	"Ben,Bolt,ben@x.org,Junior,R2,2,small,\n" + // row 4
	"first name,LAST NAME,email,category,registration number,bib,custom 1,custom 2\n" +
	"Cid,Cole,not an address,Junior,R3,3,,\n" + // row 6
	"Dan,Dale,dan@x.org,Veteran,R4,4,Huge,\n" + // row 7
	"ADA,Lovelace,ada@x.org,Junior,R5,5,,\n" + // row 8
	"Eve,Early,eve@x.org,Junior,R1,6,,\n" + // row 9
	"Fay,Field,fay@x.org,Junior,R6,7,Large,Red\n" // row 10

// outcomesOfEntries are the same for any part size.
var outcomesOfEntries = []string{
	"2 CREATED",
	"4 CREATED",
	"6 ERROR EMAIL CELL_EMAIL",
	"7 ERROR EVENT_CATEGORY_NAME CELL_UNRESOLVED",
	"8 ERROR  ROW_DUPLICATE",
	"9 ERROR REGISTRATION_NUMBER ROW_DUPLICATE",
	"10 CREATED",
}

func TestParticipants(t *testing.T) {
	t.Parallel()
	for _, partRows := range []int{1, 2, 100} {
		t.Run(fmt.Sprintf("%d rows a part", partRows), func(t *testing.T) {
			t.Parallel()
			e := setupEvent(t)
			ref := e.createInEvent(t, "EVENT_PARTICIPANT", entries, `{}`)
			result := e.runWhole(t, ref, partRows)
			require.Equal(t, outcomesOfEntries, e.results(t, ref))
			j := e.job(t, ref)
			require.Equal(t, job.Completed, j.Status)
			require.True(t, j.Progress.Reconciles(), "%+v", j.Progress)
			require.False(t, j.Progress.CallbackPending, "a whole file needs no callback for its rows")
			for name, want := range map[string]any{
				"fileLines": 10.0, "blankLines": 1.0, "headerRows": 2.0, "totalRows": 7.0,
				"created": 3.0, "updated": 0.0, "unchanged": 0.0, "skipped": 0.0, "errors": 4.0, "issuesTruncated": false,
				"customListsCreated": 2.0, "customValuesCreated": []any{2.0, 2.0, 0.0},
				"categories": []any{
					map[string]any{"name": "Élite", "participants": 1.0}, map[string]any{"name": "Junior", "participants": 2.0},
				},
			} {
				require.Equal(t, want, result[name], name)
			}
			require.Len(t, result["issues"], 4)
			require.Equal(t, []string{"Ada Élite Small Blue", "Ben Junior Small", "Fay Junior Large Red"}, postgrestest.Query[[]string](t, e.Database, `
				SELECT array_agg(concat_ws(' ', p.first_name, c.name, v1.value, v2.value) ORDER BY e.source_row)
				FROM event_participants AS e JOIN persons AS p ON p.id = e.person_id JOIN event_categories AS c ON c.id = e.category_id
				LEFT JOIN custom_list_values AS v1 ON v1.id = e.custom1_id LEFT JOIN custom_list_values AS v2 ON v2.id = e.custom2_id`))
			require.Contains(t, e.metrics.String(), "import.processWholeFile")
		})
	}
}

func TestParticipantsReimport(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	e.runWhole(t, e.createInEvent(t, "EVENT_PARTICIPANT", entries, `{}`), 100)
	ref := e.createInEvent(t, "EVENT_PARTICIPANT", "First name,Last name,Email,Category,Registration number,Custom 1,Custom 2\n"+
		"Ben,Bolt,ben@x.org,Élite,,Large,Green\n"+
		"Fay,Field,fay@x.org,Élite,,Large,\n"+
		"Guy,Gale,guy@x.org,Junior,R2,,\n", `{"createCustom2": "false"}`)
	result := e.runWhole(t, ref, 100)
	require.Equal(t, []string{
		"2 ERROR CUSTOM_LIST_2 CELL_UNRESOLVED", "3 UPDATED", "4 ERROR REGISTRATION_NUMBER ALREADY_EXISTS",
	}, e.results(t, ref))
	require.Equal(t, []any{0.0, 0.0, 0.0}, result["customValuesCreated"])
	require.Equal(t, "Élite R6 7 Red", postgrestest.Query[string](t, e.Database, `
		SELECT concat_ws(' ', c.name, e.registration_number, e.race_number, v.value)
		FROM event_participants AS e JOIN event_categories AS c ON c.id = e.category_id JOIN custom_list_values AS v ON v.id = e.custom2_id
		WHERE e.source_job = $1`, e.job(t, ref).Key), "an empty cell keeps the value")
}

// TestWholeFileResumesFromCheckpoint: an invocation with less time than the reserve writes one
// part and leaves the rest.
func TestWholeFileResumesFromCheckpoint(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	ref := e.createInEvent(t, "EVENT_PARTICIPANT", entries, `{}`)
	step := e.wholeFile(t, 2)
	short, cancel := context.WithTimeout(t.Context(), 59*time.Second)
	defer cancel()
	var nexts []string
	for range 3 {
		next, err := step.Run(short, ref)
		require.NoError(t, err)
		nexts = append(nexts, next.Next)
		require.False(t, len(nexts) < 3 && e.job(t, ref).Progress.RowsDone())
	}
	require.Equal(t, []string{"CONTINUE", "CONTINUE", "COMPLETE"}, nexts)
	before := e.result(t, ref)
	next, err := step.Run(short, ref)
	require.NoError(t, err, "running the step again after the end is harmless")
	require.Equal(t, "COMPLETE", next.Next)
	require.Equal(t, before, e.result(t, ref))
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, outcomesOfEntries, e.results(t, ref))
	require.Equal(t, []any{2.0, 2.0, 0.0}, before["customValuesCreated"], "counts of several invocations are added up")
	require.True(t, e.job(t, ref).Progress.Reconciles())
}

func TestCancelledWholeFileStopsWriting(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	ref := e.createInEvent(t, "EVENT_PARTICIPANT", entries, `{}`)
	short, cancel := context.WithTimeout(t.Context(), 59*time.Second)
	defer cancel()
	_, err := e.wholeFile(t, 2).Run(short, ref)
	require.NoError(t, err)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, _, err := e.DB.Transition(t.Context(), tx, e.job(t, ref).Key, job.Transition{To: job.Cancelled})
		return err
	}))
	_, err = e.wholeFile(t, 2).Run(short, ref)
	require.Equal(t, problem.StateConflict, problem.CodeOf(err))
	require.Equal(t, int64(2), postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM event_participants`), "the rows of the first part are kept")
}

func TestWholeFileDryRun(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	ref := e.createInEvent(t, "EVENT_PARTICIPANT", entries, `{}`)
	e.Exec(t, `UPDATE import_jobs SET dry_run = true`)
	e.runWhole(t, ref, 2)
	require.Equal(t, outcomesOfEntries, e.results(t, ref))
	require.Zero(t, postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM event_participants`))
	require.Zero(t, postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM custom_list_values`))
}

// TestPoisonRowInWholeFile: the database refuses one row for a reason that the checks do not
// cover; its neighbours are written.
func TestPoisonRowInWholeFile(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	e.Exec(t, `ALTER TABLE persons ADD CHECK (first_name <> 'Ben')`)
	ref := e.createInEvent(t, "EVENT_PARTICIPANT", entries, `{}`)
	result := e.runWhole(t, ref, 100)
	want := append([]string(nil), outcomesOfEntries...)
	want[1] = "4 ERROR  ROW_REJECTED"
	require.Equal(t, want, e.results(t, ref))
	require.Equal(t, []any{2.0, 2.0, 0.0}, result["customValuesCreated"], "rows that were rolled back do not count")
}

func TestWholeFileWithoutRows(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	header, _, _ := strings.Cut(entries, "\n")
	ref := e.createInEvent(t, "EVENT_PARTICIPANT", header+"\n", `{}`)
	result := e.runWhole(t, ref, 100)
	require.Zero(t, result["totalRows"])
	require.Empty(t, result["issues"])
	require.False(t, e.job(t, ref).Progress.CallbackPending)
}

// TestConcurrentWholeFileInvocations: an invocation that timed out still runs concurrently with
// its retry. Each part is written by one of them.
func TestConcurrentWholeFileInvocations(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	ref := e.createInEvent(t, "EVENT_PARTICIPANT", entries, `{}`)
	step := e.wholeFile(t, 1)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := step.Run(t.Context(), ref); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, outcomesOfEntries, e.results(t, ref))
	require.Equal(t, job.Counts{Created: 3, Errored: 4, Blank: 1}, e.job(t, ref).Progress.Counts)
	require.Equal(t, []any{2.0, 2.0, 0.0}, e.result(t, ref)["customValuesCreated"])
}

// TestRefusedRowLeavesCustomListUnchanged: for any reason of the refusal.
func TestRefusedRowLeavesCustomListUnchanged(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	e.Exec(t, `INSERT INTO persons (organisation_id, identity_key, first_name, last_name) VALUES (1, 'email:kim@x.org', 'Kim', 'Alpha')`)
	ref := e.createInEvent(t, "EVENT_PARTICIPANT", "First name,Last name,Email,Category,Custom 1,Custom 2,Custom 3\n"+
		"Ben,Bolt,ben@x.org,Junior,SideEffect,SideEffect,NotThere\n"+
		"Kim,Alpha,kim@x.org,Elder,SideEffect,SideEffect,\n"+
		"Fay,Field,fay@x.org,Junior,Large,,\n", `{"createCustom3": "false"}`)
	result := e.runWhole(t, ref, 100)
	require.Equal(t, []string{"2 ERROR CUSTOM_LIST_3 CELL_UNRESOLVED", "3 ERROR EVENT_CATEGORY_NAME CELL_UNRESOLVED", "4 CREATED"}, e.results(t, ref))
	require.Equal(t, []string{"1 Large"}, postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(concat_ws(' ', l.place, v.value)) FROM custom_lists AS l LEFT JOIN custom_list_values AS v ON v.list_id = l.id`))
	require.Equal(t, []any{1.0, []any{1.0, 0.0, 0.0}}, []any{result["customListsCreated"], result["customValuesCreated"]})
}

// TestDuplicateRaceNumberIsReported: for any part size. An exchange of numbers is not a
// duplicate.
func TestDuplicateRaceNumberIsReported(t *testing.T) {
	t.Parallel()
	const header = "First name,Last name,Email,Category,Bib\n"
	for _, partRows := range []int{1, 100} {
		t.Run(fmt.Sprintf("%d rows a part", partRows), func(t *testing.T) {
			t.Parallel()
			e := setupEvent(t)
			ref := e.createInEvent(t, "EVENT_PARTICIPANT", header+"A,A,a@x.org,Junior,101\nB,B,b@x.org,Junior,102\nC,C,c@x.org,Junior,101\nD,D,d@x.org,Junior,\n", `{}`)
			result := e.runWhole(t, ref, partRows)
			require.Equal(t, []string{"2 CREATED RACE_NUMBER RACE_NUMBER_SHARED", "3 CREATED", "4 CREATED RACE_NUMBER RACE_NUMBER_SHARED", "5 CREATED"}, e.results(t, ref))
			require.Len(t, result["issues"], 2)
			ref = e.createInEvent(t, "EVENT_PARTICIPANT", header+"A,A,a@x.org,Junior,102\nB,B,b@x.org,Junior,103\nE,E,e@x.org,Junior,101\n", `{}`)
			e.runWhole(t, ref, partRows)
			require.Equal(t, []string{"2 UPDATED", "3 UPDATED", "4 CREATED RACE_NUMBER RACE_NUMBER_SHARED"}, e.results(t, ref), "the number 101 still belongs to C")
		})
	}
}
