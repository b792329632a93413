package step_test

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/entity/points"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// combined is explained line by line in testdata/results/README.md.
//
//go:embed testdata/results/combined.csv
var combined string

//go:embed testdata/results/expected.json
var expectedResults string

// setupRace adds the event described in testdata/results/README.md.
func setupRace(t *testing.T) *engine {
	t.Helper()
	e := setup(t, 100)
	e.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (1, 1, 'Hill Climb')`)
	e.Exec(t, `INSERT INTO event_categories (id, organisation_id, event_id, name) VALUES (1, 1, 1, 'Elite'), (2, 1, 1, 'Junior')`)
	e.Exec(t, `INSERT INTO persons (id, organisation_id, identity_key, first_name, last_name) OVERRIDING SYSTEM VALUE
		SELECT 100 + n, 1, 'id:' || n, 'First', 'Last' FROM generate_series(11, 18) AS n`)
	e.Exec(t, `INSERT INTO event_participants (id, organisation_id, event_id, person_id, category_id, registration_number, race_number)
		SELECT n, 1, 1, 100 + n, 1, 'R' || n, CASE WHEN n <> 15 THEN (n - 10)::text END FROM generate_series(11, 18) AS n`)
	return e
}

// resultLines returns the results in file order: row, position, status and points.
func (e *engine) resultLines(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(concat_ws(' ', source_row, position, status, points) ORDER BY source_row) FROM results`)
}

func (e *engine) numbers(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(coalesce(race_number, '') ORDER BY id) FROM event_participants`)
}

func TestCombinedResults(t *testing.T) {
	t.Parallel()
	for _, partRows := range []int{1, 4, 100} {
		t.Run(fmt.Sprintf("%d rows a part", partRows), func(t *testing.T) {
			t.Parallel()
			e := setupRace(t)
			ref := e.createInEvent(t, "RESULT", combined, `{"applyNumberChanges": true, "pointsCalculator": "wpca-road-league"}`)
			e.runWhole(t, ref, partRows)
			require.JSONEq(t, expectedResults, string(e.job(t, ref).ResultJSON))
			j := e.job(t, ref)
			require.Equal(t, job.Completed, j.Status)
			require.True(t, j.Progress.Reconciles(), "%+v", j.Progress)
			require.Equal(t, []string{
				"2 1 FINISHED 50", "3 2 FINISHED 40", "4 3 FINISHED 32", "5 3 FINISHED 32", "7 DNF",
				"11 1 FINISHED 50", "14 DNS", "20 5 FINISHED 22",
			}, e.resultLines(t))
			require.Equal(t, []string{"1", "22", "3", "4", "50", "6", "60", "81"}, e.numbers(t))
			require.Equal(t, int64(3630500), postgrestest.Query[int64](t, e.Database, `SELECT time_ms FROM results WHERE source_row = 3`))

			again := e.createInEvent(t, "RESULT", combined, `{"pointsCalculator": "sa-school"}`)
			result := e.runWhole(t, again, partRows)
			require.Equal(t, []string{"Elite 0 5 1", "Junior 0 1 1"}, categoryCounts(result), "results are identified by their sequence")
			require.Len(t, result["numberChanges"], 1, "the other number changes were applied")
			require.Equal(t, []string{
				"2 1 FINISHED 100.00", "3 2 FINISHED 99.16", "4 3 FINISHED 80.00", "5 3 FINISHED 80.00", "7 DNF",
				"11 1 FINISHED 100.00", "14 DNS", "20 5 FINISHED 66.67",
			}, e.resultLines(t))
		})
	}
}

// categoryCounts returns the categories of a result: name, created, updated and unchanged.
func categoryCounts(result map[string]any) (counts []string) {
	for _, c := range result["categories"].([]any) {
		c := c.(map[string]any)
		counts = append(counts, fmt.Sprint(c["name"], " ", c["created"], " ", c["updated"], " ", c["unchanged"]))
	}
	return counts
}

// TestPointsTableIsFixedAtStart: the organisation's table has precedence over the built-in ones,
// and changes to it during the import have no effect.
func TestPointsTableIsFixedAtStart(t *testing.T) {
	t.Parallel()
	e := setupRace(t)
	own := func(first int64) {
		require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			return e.DB.SavePointsCalculators(t.Context(), tx, []points.Calculator{{Code: "sa-school", Table: []int64{first, 1}}})
		}))
	}
	own(7)
	ref := e.createInEvent(t, "RESULT", "Category,Sequence,Participant id,Position\nElite,1,11,1\nElite,2,12,2\nJunior,1,13,1\n", `{"pointsCalculator": "sa-school"}`)
	ctx, stop := context.WithTimeout(t.Context(), time.Second) // less than the reserve: one part per invocation
	defer stop()
	next, err := e.wholeFile(t, 1).Run(ctx, ref)
	require.NoError(t, err)
	require.Equal(t, "CONTINUE", next.Next)
	own(9)
	result := e.runWhole(t, ref, 1)
	require.NotContains(t, result, "calculator")
	require.Equal(t, []string{"2 1 FINISHED 7", "3 2 FINISHED 1", "4 1 FINISHED 7"}, e.resultLines(t))

	gone := e.createInEvent(t, "RESULT", "Category,Sequence,Participant id\nElite,1,11\n", `{"pointsCalculator": "our-league"}`)
	_, err = e.wholeFile(t, 1).Run(t.Context(), gone)
	require.Equal(t, problem.OptionInvalid, problem.CodeOf(err))
}

// TestNumberChangesAreReported: number changes are only reported, unless the option applies them.
func TestNumberChangesAreReported(t *testing.T) {
	t.Parallel()
	e := setupRace(t)
	result := e.runWhole(t, e.createInEvent(t, "RESULT", combined, `{}`), 100)
	summary := result["summary"].(map[string]any)
	require.Equal(t, []any{5.0, 4.0, 0.0}, []any{summary["numberChangeCount"], summary["numberChangesSimple"], summary["numberChangesApplied"]})
	require.Equal(t, []string{"1", "2", "3", "4", "", "6", "7", "8"}, e.numbers(t))
	require.Equal(t, "2 1 FINISHED", e.resultLines(t)[0], "without a calculator there are no points")
}

func TestParticipantIDModes(t *testing.T) {
	t.Parallel()
	for mode, id := range map[string]string{"epid": "13", "regid": "R13", "pid": "113"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			e := setupRace(t)
			ref := e.createInEvent(t, "RESULT", "Category,Sequence,Participant id,Time\nElite,1,"+id+",1:00\nElite,2,Q7,2:00\n", `{"participantIdMode": "`+mode+`"}`)
			e.runWhole(t, ref, 100)
			require.Equal(t, []string{"2 CREATED", "3 ERROR PARTICIPANT_ID CELL_UNRESOLVED"}, e.results(t, ref))
			require.Equal(t, int64(13), postgrestest.Query[int64](t, e.Database, `SELECT participant_id FROM results`))
		})
	}
}

// TestWholeFileExportRoundTrip: importing an event's export changes nothing.
func TestWholeFileExportRoundTrip(t *testing.T) {
	t.Parallel()
	e := setupRace(t)
	e.runWhole(t, e.createInEvent(t, "EVENT_PARTICIPANT", strings.ReplaceAll(entries, "élite", "Elite"), `{}`), 100)
	e.runWhole(t, e.createInEvent(t, "RESULT", combined, `{"applyNumberChanges": true}`), 100)
	for name, rows := range map[string]float64{"EVENT_PARTICIPANT": 3, "RESULT": 8} {
		kind, _ := catalog.New().ByName(name)
		before := e.exportCSV(t, kind.Declaration())
		ref := e.createInEvent(t, name, before, `{}`)
		e.runWhole(t, ref, 100)
		require.Equal(t, before, e.exportCSV(t, kind.Declaration()), name)
		if name == "RESULT" {
			require.Equal(t, job.Counts{Unchanged: int64(rows)}, e.job(t, ref).Progress.Counts)
		}
	}
}

// exportCSV exports all rows of a type as CSV.
func (e *engine) exportCSV(t *testing.T, d *entity.Declaration) string {
	t.Helper()
	selection, err := export.Select(d, nil, nil)
	require.NoError(t, err)
	var file bytes.Buffer
	w, err := export.NewWriter(export.CSV, &file, export.Fields(d, selection))
	require.NoError(t, err)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, err := export.WriteRows(t.Context(), tx, d, selection, w, func(int64) error { return nil })
		return err
	}))
	require.NoError(t, w.Close())
	return file.String()
}

// TestExpectedResultsReconcile checks the golden file against its own totals.
func TestExpectedResultsReconcile(t *testing.T) {
	t.Parallel()
	var golden struct{ Reconciliation map[string]int }
	require.NoError(t, json.Unmarshal([]byte(expectedResults), &golden))
	r := golden.Reconciliation
	require.Equal(t, r["fileLines"], r["successCount"]+r["skippedCount"]+r["blankLines"]+r["headerRows"]+r["errorCount"])
}

// storedResults returns the stored results without their origin.
func (e *engine) storedResults(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(concat_ws(' ', sequence, participant_id, coalesce(race_number, '-'), coalesce(position, 0), coalesce(time_ms, 0), status, coalesce(points, -1)) ORDER BY sequence) FROM results`)
}

// TestUnmappedColumnsAreUnchanged: what a file has no column for stays, including written positions.
func TestUnmappedColumnsAreUnchanged(t *testing.T) {
	t.Parallel()
	e := setupRace(t)
	e.runWhole(t, e.createInEvent(t, "RESULT", "Category,Seq,Participant,Race number,Position,Time,Status\n"+
		"Elite,1,11,1,1,1:00:00,\nElite,2,12,2,1,1:00:00,\nElite,3,13,3,,,DNF\n", `{"pointsCalculator": "sa-school"}`), 100)
	before := []string{"1 11 1 1 3600000 FINISHED 100.00", "2 12 2 1 3600000 FINISHED 100.00", "3 13 3 0 0 DNF -1"}
	require.Equal(t, before, e.storedResults(t))
	ref := e.createInEvent(t, "RESULT", "Category,Seq,Participant,Race number\nElite,1,11,1\nElite,2,12,2\nElite,3,13,3\n", `{}`)
	e.runWhole(t, ref, 2)
	require.Equal(t, job.Counts{Unchanged: 3}, e.job(t, ref).Progress.Counts)
	require.Equal(t, before, e.storedResults(t))
	e.runWhole(t, e.createInEvent(t, "RESULT", "Category,Seq,Participant,Status\nElite,2,12,DSQ\n", `{}`), 100)
	require.Equal(t, "2 12 2 0 3600000 DSQ -1", e.storedResults(t)[1], "a disqualified participant has no position and no points")
}

// TestPointsUseStoredWinner: neither a refused row nor the first row of a partial file counts as
// the winner.
func TestPointsUseStoredWinner(t *testing.T) {
	t.Parallel()
	for _, partRows := range []int{1, 100} {
		t.Run(fmt.Sprintf("%d rows a part", partRows), func(t *testing.T) {
			t.Parallel()
			e := setupRace(t)
			e.runWhole(t, e.createInEvent(t, "RESULT", "Category,Seq,Participant,Time\nElite,1,99,0:30:00\nElite,2,12,1:00:00\nElite,3,13,2:00:00\n", `{"pointsCalculator": "sa-school"}`), partRows)
			require.Equal(t, []string{"2 12 - 1 3600000 FINISHED 100.00", "3 13 - 2 7200000 FINISHED 50.00"}, e.storedResults(t))
			e.runWhole(t, e.createInEvent(t, "RESULT", "Category,Seq,Participant,Time\nElite,3,13,4:00:00\n", `{"pointsCalculator": "sa-school"}`), partRows)
			require.Equal(t, "3 13 - 2 14400000 FINISHED 25.00", e.storedResults(t)[1])
		})
	}
}

// TestParticipantHasOneResultPerCategory: a participant who gets another sequence leaves the old
// one, whose holder follows after the last result unless the file says otherwise.
func TestParticipantHasOneResultPerCategory(t *testing.T) {
	t.Parallel()
	const header = "Category,Seq,Participant\n"
	for _, partRows := range []int{1, 100} {
		t.Run(fmt.Sprintf("%d rows a part", partRows), func(t *testing.T) {
			t.Parallel()
			e := setupRace(t)
			holders := func() []string {
				return postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(concat_ws(' ', sequence, participant_id, position) ORDER BY sequence) FROM results WHERE category_id = 1`)
			}
			e.runWhole(t, e.createInEvent(t, "RESULT", header+"Elite,1,11\nElite,2,12\nElite,3,13\n", `{}`), partRows)
			ref := e.createInEvent(t, "RESULT", header+"Elite,1,12\nJunior,1,12\n", `{}`)
			e.runWhole(t, ref, partRows)
			require.Equal(t, []string{"2 UPDATED SEQUENCE RESULT_MOVED", "3 CREATED"}, e.results(t, ref))
			require.Equal(t, []string{"1 12 1", "3 13 2", "4 11 3"}, holders())
			ref = e.createInEvent(t, "RESULT", header+"Elite,1,12\nElite,2,13\nElite,3,11\n", `{}`)
			e.runWhole(t, ref, partRows)
			require.Equal(t, []string{"2 UNCHANGED", "3 CREATED", "4 UPDATED"}, e.results(t, ref))
			require.Equal(t, []string{"1 12 1", "2 13 2", "3 11 3"}, holders())
		})
	}
}

// TestManyNumberChanges imports a file in which every row changes a number, and one in which
// every row has its own category. The result stays small, counts all of them, and takes time
// proportional to the rows.
func TestManyNumberChanges(t *testing.T) {
	t.Parallel()
	const rows = 20_000
	e := setup(t, 100)
	e.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (1, 1, 'Hill Climb')`)
	e.Exec(t, `INSERT INTO event_categories (id, organisation_id, event_id, name) VALUES (1, 1, 1, 'Elite')`)
	e.Exec(t, `INSERT INTO persons (id, organisation_id, identity_key, first_name, last_name) OVERRIDING SYSTEM VALUE
		SELECT n, 1, 'id:' || n, 'First', 'Last' FROM generate_series(1, $1) AS n`, rows)
	e.Exec(t, `INSERT INTO event_participants (id, organisation_id, event_id, person_id, category_id, registration_number)
		SELECT n, 1, 1, n, 1, 'R' || n FROM generate_series(1, $1) AS n`, rows)
	var changes, categories strings.Builder
	changes.WriteString("Category,Sequence,Participant id,Race number\n")
	categories.WriteString("Category,Sequence,Participant id,Race number\n")
	for n := 1; n <= rows; n++ {
		fmt.Fprintf(&changes, "Elite,%d,%d,B%d\n", n, n, n)
		fmt.Fprintf(&categories, "Category %d %s,%d,%d,\n", n, strings.Repeat("x", 150), n, n)
	}

	ref := e.createInEvent(t, "RESULT", changes.String(), `{"applyNumberChanges": true}`)
	result := e.runWhole(t, ref, 500)
	summary := result["summary"].(map[string]any)
	require.Equal(t, []any{20_000.0, 20_000.0, 20_000.0}, []any{summary["numberChangeCount"], summary["numberChangesSimple"], summary["numberChangesApplied"]})
	require.Len(t, result["numberChanges"], 1000)
	require.Equal(t, true, result["numberChangesTruncated"])
	require.Equal(t, true, result["numberChanges"].([]any)[999].(map[string]any)["applied"])
	require.Equal(t, []string{"B1", "B20000"}, postgrestest.Query[[]string](t, e.Database,
		`SELECT array_agg(race_number ORDER BY id) FROM event_participants WHERE id IN (1, 20000)`))

	ref = e.createInEvent(t, "RESULT", categories.String(), `{}`)
	result = e.runWhole(t, ref, 500)
	require.Len(t, result["unmatchedCategories"], 1000)
	require.Equal(t, true, result["unmatchedCategoriesTruncated"])
	require.Equal(t, 20_000.0, result["summary"].(map[string]any)["unmatchedCategoryCount"])
	require.Less(t, len(e.job(t, ref).ResultJSON), 2<<20)
}

// TestIssuesBeyondListAreCounted: the list of issues is bounded, their number is exact, also if the
// errors of a row are not stored.
func TestIssuesBeyondListAreCounted(t *testing.T) {
	t.Parallel()
	e := setupRace(t)
	file := "Category,Sequence,Participant id,Position\n" + strings.Repeat("Elite,1,99,x\n", rows.MaxIssues+5)
	ref := e.createInEvent(t, "RESULT", file, `{}`)
	result := e.runWhole(t, ref, 5000)
	require.Len(t, result["issues"], rows.MaxIssues)
	require.InDelta(t, rows.MaxIssues+5, result["summary"].(map[string]any)["issueCount"], 0)

	j := e.job(t, ref)
	e.Exec(t, `DELETE FROM import_row_results WHERE job_id = $1 AND row_number <= 3`, j.Key)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		n, err := e.DB.CountIssues(t.Context(), tx, j.Key)
		require.EqualValues(t, rows.MaxIssues+5, n)
		return err
	}))
}
