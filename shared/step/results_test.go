package step_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// combined is explained line by line in testdata/results/README.md.
//
//go:embed testdata/results/combined.csv
var combined string

//go:embed testdata/results/expected.json
var expectedResults string

// setupRace has the event that testdata/results/README.md describes.
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

// written are the results in the order of the file: row, position, status and points.
func (e *engine) written(t *testing.T) []string {
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
			ref := e.inEvent(t, "RESULT", combined, `{"applyNumberChanges": true, "pointsCalculator": "wpca-road-league"}`)
			e.runWhole(t, ref, partRows)
			require.JSONEq(t, expectedResults, string(e.job(t, ref).ResultJSON))
			j := e.job(t, ref)
			require.Equal(t, job.Completed, j.Status)
			require.True(t, j.Progress.Reconciles(), "%+v", j.Progress)
			require.Equal(t, []string{
				"2 1 FINISHED 50", "3 2 FINISHED 40", "4 3 FINISHED 32", "5 3 FINISHED 32", "7 DNF",
				"10 1 FINISHED 50", "11 2 FINISHED 40", "14 DNS", "20 7 FINISHED 14",
			}, e.written(t))
			require.Equal(t, []string{"1", "22", "3", "4", "50", "6", "7", "8"}, e.numbers(t))
			require.Equal(t, int64(3630500), postgrestest.Query[int64](t, e.Database, `SELECT time_ms FROM results WHERE source_row = 3`))

			again := e.inEvent(t, "RESULT", combined, `{"pointsCalculator": "sa-school"}`)
			result := e.runWhole(t, again, partRows)
			require.Equal(t, []any{
				map[string]any{"name": "Elite", "created": 0.0, "updated": 6.0}, map[string]any{"name": "Junior", "created": 0.0, "updated": 3.0},
			}, result["categories"], "results are known by their sequence")
			require.Len(t, result["numberChanges"], 4, "two have been applied")
			require.Equal(t, []string{
				"2 1 FINISHED 100.00", "3 2 FINISHED 99.16", "4 3 FINISHED 80.00", "5 3 FINISHED 80.00", "7 DNF",
				"10 1 FINISHED 100.00", "11 2 FINISHED 80.00", "14 DNS", "20 7 FINISHED 66.67",
			}, e.written(t))
		})
	}
}

// TestNumberChangesAreOnlyReported unless they are to be applied.
func TestNumberChangesAreOnlyReported(t *testing.T) {
	t.Parallel()
	e := setupRace(t)
	result := e.runWhole(t, e.inEvent(t, "RESULT", combined, `{}`), 100)
	summary := result["summary"].(map[string]any)
	require.Equal(t, []any{6.0, 2.0, 0.0}, []any{summary["numberChangeCount"], summary["numberChangesSimple"], summary["numberChangesApplied"]})
	require.Equal(t, []string{"1", "2", "3", "4", "", "6", "7", "8"}, e.numbers(t))
	require.Equal(t, "2 1 FINISHED", e.written(t)[0], "no calculator, no points")
}

func TestParticipantIDModes(t *testing.T) {
	t.Parallel()
	for mode, id := range map[string]string{"epid": "13", "regid": "R13", "pid": "113"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			e := setupRace(t)
			ref := e.inEvent(t, "RESULT", "Category,Sequence,Participant id,Time\nElite,1,"+id+",1:00\nElite,2,x,2:00\n", `{"participantIdMode": "`+mode+`"}`)
			e.runWhole(t, ref, 100)
			require.Equal(t, []string{"2 CREATED", "3 ERROR PARTICIPANT_ID CELL_UNRESOLVED"}, e.results(t, ref))
			require.Equal(t, int64(13), postgrestest.Query[int64](t, e.Database, `SELECT participant_id FROM results`))
		})
	}
}

// TestExportedWholeFilesImportAgain: what was exported of an event changes nothing.
func TestExportedWholeFilesImportAgain(t *testing.T) {
	t.Parallel()
	e := setupRace(t)
	e.runWhole(t, e.inEvent(t, "EVENT_PARTICIPANT", strings.ReplaceAll(entries, "élite", "Elite"), `{}`), 100)
	e.runWhole(t, e.inEvent(t, "RESULT", combined, `{"applyNumberChanges": true}`), 100)
	for name, rows := range map[string]float64{"EVENT_PARTICIPANT": 3, "RESULT": 9} {
		kind, _ := catalog.New().ByName(name)
		before := e.exported(t, kind.Declaration())
		ref := e.inEvent(t, name, before, `{}`)
		e.runWhole(t, ref, 100)
		require.Equal(t, before, e.exported(t, kind.Declaration()), name)
		if name == "RESULT" {
			require.Equal(t, job.Counts{Updated: int64(rows)}, e.job(t, ref).Progress.Counts)
		}
	}
}

// exported is all of a type as CSV.
func (e *engine) exported(t *testing.T, d *entity.Declaration) string {
	t.Helper()
	selection, err := export.Select(d, nil, nil)
	require.NoError(t, err)
	var file bytes.Buffer
	w, err := export.NewWriter(export.CSV, &file, export.Fields(d, selection))
	require.NoError(t, err)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, err := export.Copy(t.Context(), tx, d, selection, w, func(int64) error { return nil })
		return err
	}))
	require.NoError(t, w.Close())
	return file.String()
}

// TestExpectedResultsReconcile holds the golden file against its own sums.
func TestExpectedResultsReconcile(t *testing.T) {
	t.Parallel()
	var golden struct{ Reconciliation map[string]int }
	require.NoError(t, json.Unmarshal([]byte(expectedResults), &golden))
	r := golden.Reconciliation
	require.Equal(t, r["fileLines"], r["successCount"]+r["blankLines"]+r["headerRows"]+r["errorCount"])
}
