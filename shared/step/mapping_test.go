package step_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// saveMapping saves a mapping document with a job, as its creation does.
func (e *engine) saveMapping(t *testing.T, ref job.Ref, document string) {
	t.Helper()
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return e.DB.AddSuppliedMapping(t.Context(), tx, e.job(t, ref), json.RawMessage(document))
	}))
}

// columns returns the mapped columns of a job: "place field".
func (e *engine) columns(t *testing.T, ref job.Ref) (out []string) {
	t.Helper()
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		found, err := e.DB.ColumnMappings(t.Context(), tx, e.job(t, ref).Key)
		for _, c := range found {
			out = append(out, fmt.Sprintf("%d %s %s", c.ColumnIndex, c.Status, c.TargetField))
		}
		return err
	}))
	return out
}

// members returns the persons of the memberships in the order of writing.
func (e *engine) members(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(concat_ws('|', p.first_name, p.last_name, p.email, p.gender, p.birth_date, t.name) ORDER BY p.email)
		FROM memberships AS m JOIN persons AS p ON p.id = m.person_id JOIN membership_types AS t ON t.id = m.type_id`)
}

// composed is a file in which no column is a field in its original form.
const composed = "Qui;Oui/Non;Né(e);Mél 1;Mél 2;Femme\n" +
	"LANG, ute;x;né le 03/04/1990;ute;x.org;F!\n" +
	"MÜLLER, ada;y;né le 25/12/1991;ada;x.org;M!\n"

// composing is the mapping for this file.
const composing = `{"fields":[
	{"field":"LAST_NAME","from":["Qui"],"transforms":[{"op":"split","separator":",","part":1},{"op":"lower"},{"op":"title"}]},
	{"field":"FIRST_NAME","from":["Qui"],"transforms":[{"op":"split","separator":",","part":2},{"op":"title"}]},
	{"field":"BIRTH_DATE","from":["Né(e)"],"transforms":[{"op":"extract","pattern":"[0-9/]+"}]},
	{"field":"EMAIL","from":["Mél 1","Mél 2"],"separator":"@"},
	{"field":"GENDER","from":["Femme"],"transforms":[{"op":"extract","pattern":"^[FM]"}]},
	{"field":"MEMBERSHIP_TYPE_ID","constant":"senior"}],
	"ignore":["Oui/Non"]}`

// TestMappingDecidesColumns: joins, parts, constants and steps are applied without a question.
// The date order of the composed dates is detected from all of them together.
func TestMappingDecidesColumns(t *testing.T) {
	t.Parallel()
	for _, oneShot := range []bool{true, false} {
		t.Run(fmt.Sprintf("one-shot %t", oneShot), func(t *testing.T) {
			t.Parallel()
			e := setup(t, 1)
			ref := e.create(t, "MEMBERSHIP", "membres.csv", composed, func(j *job.Job) { member(j); j.AutoStart = oneShot })
			e.saveMapping(t, ref, composing)
			e.prepare(t, ref)
			e.drain(t, false)
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.Equal(t, []string{"2 CREATED", "3 CREATED"}, e.results(t, ref))
			require.Equal(t, []string{"Ada|Müller|ada@x.org|MALE|1991-12-25|Senior", "Ute|Lang|ute@x.org|FEMALE|1990-04-03|Senior"}, e.members(t))
			require.Equal(t, []string{
				"0 MANUAL_MATCHED LAST_NAME", "1 IGNORED ", "2 MANUAL_MATCHED BIRTH_DATE", "3 MANUAL_MATCHED EMAIL", "4 MANUAL_MATCHED ", "5 MANUAL_MATCHED GENDER",
				"-1 MANUAL_MATCHED FIRST_NAME", "-2 MANUAL_MATCHED MEMBERSHIP_TYPE_ID",
			}, e.columns(t, ref))
		})
	}
}

// TestMappingWithMissingColumns: a missing column that the mapping uses is neither guessed nor
// ignored.
func TestMappingWithMissingColumns(t *testing.T) {
	t.Parallel()
	const file = "First name,Last name,E-mail,Type\nAda,Lang,a@x.org,Senior\n"
	warning := string(problem.MappingUnfit) + `: EMAIL uses the column "Mail", which the file does not have`

	e := setup(t, 10)
	ref := e.create(t, "MEMBERSHIP", "members.csv", file, func(j *job.Job) { member(j); j.AutoStart = false })
	e.saveMapping(t, ref, `{"fields":[{"field":"EMAIL","from":["Mail"]}]}`)
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "COLUMN_MAPPING", next.Next, "the column needs a decision")
	require.Contains(t, e.job(t, ref).WarningCodes, warning)
	require.Equal(t, []string{"0 AUTO_MATCHED FIRST_NAME", "1 AUTO_MATCHED LAST_NAME", "2 UNRESOLVED ", "3 AUTO_MATCHED MEMBERSHIP_TYPE_ID"}, e.columns(t, ref))

	ref = e.create(t, "MEMBERSHIP", "members.csv", file, member)
	e.saveMapping(t, ref, `{"fields":[{"field":"LAST_NAME","from":["Nom"]}]}`)
	_, err = e.analyze.Run(t.Context(), ref)
	require.Equal(t, problem.RequiredColumnMissing, problem.CodeOf(err), "without questions, a missing required column fails the import")
	require.ErrorContains(t, err, "Last name")
}

// TestRetryInheritsMapping: an error workbook has the columns of the file, so its rows are
// composed in the same way. Three rows would not suffice to detect the date order; it is
// inherited from the file, as are the matched values.
func TestRetryInheritsMapping(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	file := composed + "CURIE, marie;z;né le 05/06/1992;marie;nowhere;Vrouw!\n"
	first := e.create(t, "MEMBERSHIP", "membres.csv", file, member)
	saying := strings.Replace(composing, `"^[FM]"`, `"^[A-Za-z]+"`, 1)
	e.saveMapping(t, first, strings.TrimSuffix(saying, "}")+`,"values":[{"field":"GENDER","value":"Vrouw","to":"FEMALE"}]}`)
	e.prepare(t, first)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), first))
	require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 ERROR EMAIL CELL_EMAIL"}, e.results(t, first))

	book := e.errorWorkbook(t, first)
	sheet := book.GetSheetName(0)
	for cell, want := range map[string]string{"C1": "Qui", "C2": "CURIE, marie", "E2": "né le 05/06/1992", "G2": "nowhere"} {
		got, err := book.GetCellValue(sheet, cell)
		require.NoError(t, err)
		require.Equal(t, want, got, "the error workbook has the original values")
	}
	require.NoError(t, book.SetCellValue(sheet, "G2", "x.org"))
	corrected, err := book.WriteToBuffer()
	require.NoError(t, err)

	again := e.create(t, "MEMBERSHIP", "errors.xlsx", corrected.String(), func(j *job.Job) { member(j); j.RetryOf = first.JobID })
	e.prepare(t, again)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), again))
	require.Equal(t, []string{"2 CREATED"}, e.results(t, again))
	require.Contains(t, e.members(t), "Marie|Curie|marie@x.org|FEMALE|1992-06-05|Senior")
}

// TestComposedColumnsSurviveReanalysis: a composed field refers to the same headers wherever
// the columns are after the reanalysis. The date order is detected from the composed texts, also
// if the mapping is changed after the analysis.
func TestComposedColumnsSurviveReanalysis(t *testing.T) {
	t.Parallel()
	a := startReview(t)
	ref := a.create(t, "MEMBERSHIP", "membres.csv", "title;;;;;\n"+composed, func(j *job.Job) { member(j); j.AutoStart, j.Options = false, json.RawMessage(`{"headerRow":2}`) })
	ref.MachineVersion = job.ReanalyzeMachineVersion
	a.analyzeUntilReview(t, ref)
	var document struct{ Fields []review.ColumnDecision }
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(composing, `"field"`, `"targetField"`)), &document))
	_, _, err := a.review.DecideColumns(t.Context(), ref, "", document.Fields)
	require.NoError(t, err)
	want := a.engine.columns(t, ref)
	require.Len(t, want, 8)

	_, err = a.reanalyze(t, ref, `{"encoding":"utf-8"}`)
	require.NoError(t, err)
	next, err := a.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, want, a.engine.columns(t, ref))
	if next.Next == "COLUMN_MAPPING" { // "Oui/Non" has not been decided
		_, err = a.review.ConfirmColumns(t.Context(), ref, "")
		require.NoError(t, err)
	}
	_, err = a.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.NoError(t, a.split.Run(t.Context(), ref))
	a.drain(t, false)
	require.NoError(t, a.complete.Run(t.Context(), ref))
	require.Equal(t, []string{"Ada|Müller|ada@x.org|MALE|1991-12-25|Senior", "Ute|Lang|ute@x.org|FEMALE|1990-04-03|Senior"}, a.members(t))
}

// TestLateComposedDatesUseAllRows: a person composes a date after the analysis; the step that
// looks up the values detects its date order.
func TestLateComposedDatesUseAllRows(t *testing.T) {
	t.Parallel()
	a := startReview(t)
	ref := a.create(t, "MEMBERSHIP", "membres.csv", composed, func(j *job.Job) { member(j); j.AutoStart = false })
	a.analyzeUntilReview(t, ref)
	var document struct{ Fields []review.ColumnDecision }
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(composing, `"field"`, `"targetField"`)), &document))
	_, _, err := a.review.DecideColumns(t.Context(), ref, "", document.Fields)
	require.NoError(t, err)
	_, err = a.review.StartProcessing(t.Context(), ref, "") // and asks no more questions
	require.NoError(t, err)
	_, err = a.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.NoError(t, a.split.Run(t.Context(), ref))
	a.drain(t, false)
	require.NoError(t, a.complete.Run(t.Context(), ref))
	require.Equal(t, []string{"Ada|Müller|ada@x.org|MALE|1991-12-25|Senior", "Ute|Lang|ute@x.org|FEMALE|1990-04-03|Senior"}, a.members(t))
}
