package step_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
	"github.com/loadbay/loadbay/shared/transform"
)

// weighed returns a file of orders with this header of the weight, and one row for each weight.
func weighed(header string, weights ...string) string {
	var file strings.Builder
	file.WriteString(strings.Replace(orderHeader, "totalWeight", header, 1))
	for i, weight := range weights {
		file.WriteString(strings.Replace(orderLine("A-"+string(rune('1'+i)), 1), ",2.50,", ","+weight+",", 1))
	}
	return file.String()
}

func (e *engine) weights(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(total_weight::text ORDER BY client_reference) FROM orders`)
}

// TestOtherUnitIsRefused: 2,500 g must not become 2,500 kg if nobody can be asked.
func TestOtherUnitIsRefused(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	for header, unit := range map[string]string{"Weight (g)": "g", "Gross weight (lbs)": "lb", "Total weight [t]": "t", "Weight in lbs": "lb"} {
		ref := e.create(t, "ORDER", "orders.csv", weighed(header, "2500"), nil)
		_, err := e.analyze.Run(t.Context(), ref)
		require.Equal(t, problem.UnitMismatch, problem.CodeOf(err), header)
		require.ErrorContains(t, err, "The column for Total weight is in "+unit+", but the field is in kg.", header)
		require.ErrorContains(t, err, `{"op": "convert", "unit": "`+unit+`"}`, header)
	}
	for _, header := range []string{"Weight (kg)", "totalWeight", "Gross weight"} {
		ref := e.create(t, "ORDER", "orders.csv", weighed(header, "2500"), nil)
		e.prepare(t, ref)
		require.Empty(t, e.job(t, ref).WarningCodes, header)
	}
	ref := e.create(t, "ORDER", "orders.csv", weighed("Weight (tons)", "2"), nil)
	_, err := e.analyze.Run(t.Context(), ref)
	require.ErrorContains(t, err, "Convert the values in the file, and name kg in the header.")
}

// TestOtherUnitIsAsked also if only unsure columns are; the import continues after the answer.
func TestOtherUnitIsAsked(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.create(t, "ORDER", "orders.csv", weighed("Weight (g)", "2500"), func(j *job.Job) { j.AutoStart, j.Review = false, job.ReviewUnsure })
	result, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, nextColumns, result.Next)

	service := e.review()
	_, err = service.ConfirmColumns(t.Context(), ref, "tester")
	require.Equal(t, problem.MappingIncomplete, problem.CodeOf(err))
	require.Equal(t, problem.UnitMismatch, problem.From(err).Fields[0].Code)

	_, columns, err := service.Columns(t.Context(), ref)
	require.NoError(t, err)
	var weight int64
	for _, c := range columns {
		if c.TargetField == "TOTAL_WEIGHT" {
			weight = c.ID
		}
	}
	_, _, err = service.DecideColumns(t.Context(), ref, "tester", []review.ColumnDecision{{ID: weight, TargetField: "TOTAL_WEIGHT", Transforms: []transform.Step{{Op: transform.Convert, Unit: "g"}}}})
	require.NoError(t, err)
	_, err = service.ConfirmColumns(t.Context(), ref, "tester")
	require.NoError(t, err)
	require.Contains(t, e.job(t, ref).WarningCodes, "UNIT_CONVERTED: Total weight: the mapping converts the values from g to kg")
}

// TestConversionStep converts texts with any decimal mark and numbers of workbooks, exactly, and
// names it in the outcome.
func TestConversionStep(t *testing.T) {
	t.Parallel()
	const step = `{"fields":[{"field":"TOTAL_WEIGHT","from":["Weight (g)"],"transforms":[{"op":"strip","what":"unit"},{"op":"convert","unit":"g"}]}]}`
	e := setup(t, 100)
	ref := e.create(t, "ORDER", "orders.csv", weighed("Weight (g)", "2500", "1", "0.5 g", "many", "1250.5"), nil)
	e.saveMapping(t, ref, step)
	e.prepare(t, ref)
	e.drain(t, false)
	require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 ERROR TOTAL_WEIGHT CELL_TOO_SMALL", "5 ERROR TOTAL_WEIGHT CELL_NUMBER", "6 CREATED"}, e.results(t, ref))
	require.Equal(t, []string{"2.5", "0.001", "1.2505"}, e.weights(t))
	require.Equal(t, []string{"UNIT_CONVERTED: Total weight: the mapping converts the values from g to kg"}, e.job(t, ref).WarningCodes)

	e = setup(t, 100)
	ref = e.create(t, "ORDER", "orders.csv", strings.ReplaceAll(strings.ReplaceAll(weighed("Weight (g)", "2500;5", "1.250;25"), ",", "\t"), ";", ","), nil)
	e.saveMapping(t, ref, step)
	e.prepare(t, ref)
	e.drain(t, false)
	require.Equal(t, []string{"2.5005", "1.25025"}, e.weights(t), "with a decimal comma")

	e = setup(t, 100)
	ref = e.create(t, "ORDER", "orders.csv", weighed("Weight (g)", "3"), nil)
	e.saveMapping(t, ref, strings.Replace(step, `"unit":"g"`, `"unit":"kg"`, 1))
	e.prepare(t, ref)
	e.drain(t, false)
	require.Equal(t, []string{"3"}, e.weights(t), "the mapping says that the values are in kg")
	require.Empty(t, e.job(t, ref).WarningCodes)
}

func TestConversionOfWorkbookNumbers(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	var rows strings.Builder
	for line := range strings.Lines(weighed("Weight (lbs)", "10")) {
		rows.WriteString("<row>")
		for cell := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), ",") {
			if cell == "10" {
				rows.WriteString("<c><v>10</v></c>")
				continue
			}
			rows.WriteString(`<c t="inlineStr"><is><t>` + cell + `</t></is></c>`)
		}
		rows.WriteString("</row>")
	}
	ref := e.create(t, "ORDER", "orders.xlsx", string(xlsxtest.Workbook(rows.String()).Bytes(t)), nil)
	e.saveMapping(t, ref, `{"fields":[{"field":"TOTAL_WEIGHT","from":["Weight (lbs)"],"transforms":[{"op":"convert","unit":"lb"}]}]}`)
	e.prepare(t, ref)
	e.drain(t, false)
	require.Equal(t, []string{"4.5359237"}, e.weights(t))
}
