package step_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// datesHeader is the header of member files with two date columns.
const datesHeader = "First name;Last name;Email;Type;Birth date;Joined on\n"

// datedLine returns the line of the n-th member for such a file.
func datedLine(n int, birth, joined string) string {
	return fmt.Sprintf("F%d;L%d;m%d@x.org;Senior;%s;%s\n", n, n, n, birth, joined)
}

// dates returns the dates of all members, in the order of their numbers.
func (e *engine) dates(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(concat_ws(' ', p.birth_date, m.joined_on) ORDER BY length(p.last_name), p.last_name)
		FROM memberships AS m JOIN persons AS p ON p.id = m.person_id`)
}

// messages returns the messages of all row errors, with their rows.
func (e *engine) messages(t *testing.T, ref job.Ref) (out []string) {
	t.Helper()
	j := e.job(t, ref)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		found, err := e.DB.Results(t.Context(), tx, j.Key, postgres.ResultFilter{Page: job.Page{Limit: 1000}})
		for _, r := range found {
			for _, f := range r.Errors {
				out = append(out, fmt.Sprintf("%d %s", r.Row, f.Message))
			}
		}
		return err
	}))
	return out
}

// importMembers imports a file of members from beginning to end.
func (e *engine) importMembers(t *testing.T, file string, backwards bool, change func(*job.Job)) job.Ref {
	t.Helper()
	ref := e.create(t, "MEMBERSHIP", "members", file, func(j *job.Job) {
		if member(j); change != nil {
			change(j)
		}
	})
	e.prepare(t, ref)
	e.drain(t, backwards)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	return ref
}

const (
	stateOrder = ". Write it as year, month and day, 2026-01-31, or set the date order."
	stateMark  = ". Write it without thousands separators, or set the decimal mark."
)

// TestEachColumnHasItsOwnDateOrder: the date order of one column does not affect another one.
func TestEachColumnHasItsOwnDateOrder(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.importMembers(t, datesHeader+datedLine(1, "12/25/1990", "03.04.2020")+datedLine(2, "03/04/1991", "25.12.2020")+datedLine(3, "", "2020/03/04"), false, nil)
	require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED"}, e.results(t, ref))
	require.Equal(t, []string{"1990-12-25 2020-04-03", "1991-03-04 2020-12-25", "2020-03-04"}, e.dates(t))
	require.Empty(t, e.job(t, ref).WarningCodes)

	other := setup(t, 100)
	other.importMembers(t, datesHeader+datedLine(1, "12/25/1990", "25/12/2020")+datedLine(2, "03/04/1991", "03/04/2020"), false, nil)
	require.Equal(t, []string{"1990-12-25 2020-12-25", "1991-03-04 2020-04-03"}, other.dates(t))
}

// TestLastRowDecidesDateOrder: any cell may decide, for any chunk size and any order of the
// chunks.
func TestLastRowDecidesDateOrder(t *testing.T) {
	t.Parallel()
	const rows = 3_000 // more than any sample contains
	var file strings.Builder
	file.WriteString(datesHeader)
	for n := range rows - 1 {
		file.WriteString(datedLine(n, "", "03/04/2020"))
	}
	file.WriteString(datedLine(rows-1, "", "04/25/2020"))
	e := setup(t, 500)
	ref := e.importMembers(t, file.String(), true, nil)
	require.EqualValues(t, rows, e.job(t, ref).Progress.Counts.Created)
	require.EqualValues(t, rows-1, postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM memberships WHERE joined_on = '2020-03-04'`))
}

// TestAmbiguousDatesAreRefused: all other values are imported.
func TestAmbiguousDatesAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		joined   []string
		dates    []string
		messages []string
		warnings []string
	}{
		"all cells ambiguous": {
			[]string{"03/04/2020", "05/05/2020", "2020-03-04", "03.04.2020"}, []string{"2020-05-05", "2020-03-04", "2020-04-03"},
			[]string{"2 Joined on: 03/04/2020 may be 3 April 2020 or 4 March 2020" + stateOrder},
			[]string{`DATE_ORDER_UNCERTAIN: column "Joined on": ambiguous cells: 1; set dateOrder`},
		},
		"contradictory cells": {
			[]string{"25/12/2020", "12/25/2020", "03/04/2020", "03.04.2020"}, []string{"2020-12-25", "2020-12-25"},
			[]string{
				"4 Joined on: 03/04/2020 may be 3 April 2020 or 4 March 2020" + stateOrder,
				"5 Joined on: 03.04.2020 may be 3 April 2020 or 4 March 2020" + stateOrder,
			},
			[]string{`DATE_ORDER_UNCERTAIN: column "Joined on": date orders are mixed: 1 day first, 1 month first, 2 ambiguous; set dateOrder`},
		},
		"two-digit years": {
			[]string{"25/12/20", "03/04/05"}, nil,
			[]string{
				"2 Joined on: 25/12/20 may be 25 December 2020 or 20 December 2025" + stateOrder,
				"3 Joined on: 03/04/05 may be 3 April 2005, 4 March 2005 or 5 April 2003" + stateOrder,
			},
			[]string{`DATE_ORDER_UNCERTAIN: column "Joined on": ambiguous cells: 2; set dateOrder`},
		},
	} {
		for _, backwards := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", backwards ", backwards), func(t *testing.T) {
				t.Parallel()
				file := datesHeader
				for n, joined := range c.joined {
					file += datedLine(n, "", joined)
				}
				e := setup(t, 1)
				ref := e.importMembers(t, file, backwards, nil)
				require.Equal(t, c.dates, e.dates(t))
				require.Equal(t, c.messages, e.messages(t, ref))
				require.Equal(t, c.warnings, e.job(t, ref).WarningCodes)
			})
		}
	}
}

// TestMixedDateOrdersAreAsked, even if each date has one reading only: the file is probably damaged.
func TestMixedDateOrdersAreAsked(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	for joined, next := range map[string]string{"25/12/2020 12/26/2020": nextColumns, "25/12/2020 12/26/2020 3/4/2020": nextColumns, "25/12/2020 3/4/2020": nextResolve} {
		file := datesHeader
		for n, date := range strings.Fields(joined) {
			file += datedLine(n, "", date)
		}
		got, _ := e.analyzeColumns(t, "MEMBERSHIP", file, job.ReviewUnsure)
		require.Equal(t, next, got, joined)
	}
}

func TestStatedDateOrderAppliesToAllColumns(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	ref := e.importMembers(t, datesHeader+datedLine(1, "03/04/1990", "03/04/2020")+datedLine(2, "25/12/1990", ""), false, func(j *job.Job) {
		j.Options = json.RawMessage(`{"dateOrder":"mdy"}`)
	})
	require.Equal(t, []string{"1990-03-04 2020-03-04"}, e.dates(t))
	require.Equal(t, []string{"3 Date of birth: This is not a date. Dates in this column are read month first: 01/31/2026. Year, month and day, 2026-01-31, is always accepted."}, e.messages(t, ref))
	require.Empty(t, e.job(t, ref).WarningCodes)
}

// TestStatedOrderOfMixedColumnRefusesTheOther: ambiguous dates are read in the stated order, and dates
// that are valid in another order only are errors of their rows.
func TestStatedOrderOfMixedColumnRefusesTheOther(t *testing.T) {
	t.Parallel()
	file := datesHeader
	for n, joined := range []string{"25/12/2020", "12/25/2020", "03/04/2020", "12.26.2020"} {
		file += datedLine(n, "", joined)
	}
	const refused = "Joined on: This is not a date. Dates in this column are read day first: 31/01/2026. Year, month and day, 2026-01-31, is always accepted."
	for name, options := range map[string]string{"file": `{"dateOrder":"dmy"}`, "column": `{"columns":[{"column":"Joined on","dateOrder":"dmy"}]}`} {
		e := setup(t, 1)
		ref := e.importMembers(t, file, false, func(j *job.Job) { j.Options = json.RawMessage(options) })
		require.Equal(t, []string{"2020-12-25", "2020-04-03"}, e.dates(t), name)
		require.Equal(t, []string{"3 " + refused, "5 " + refused}, e.messages(t, ref), name)
	}
}

// TestOtherFormatsDetectDates: the deciding cell comes last.
func TestOtherFormatsDetectDates(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return `<c t="inlineStr"><is><t>` + s + `</t></is></c>` }
	var workbook, lines strings.Builder
	table := datesHeader + datedLine(1, "03/04/1990", "03/04/2020") + datedLine(2, "03/25/1990", "25/04/2020")
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		workbook.WriteString("<row>")
		for _, cell := range strings.Split(line, ";") {
			workbook.WriteString(text(cell))
		}
		workbook.WriteString("</row>")
	}
	for n, days := range [][2]string{{"03/04/1990", "03/04/2020"}, {"03/25/1990", "25/04/2020"}} {
		fmt.Fprintf(&lines, `{"first name":"F%d","last name":"L%d","email":"m%d@x.org","type":"Senior","birth date":"%s","joined on":"%s"}`+"\n", n, n, n, days[0], days[1])
	}
	wide := []byte{0xFF, 0xFE}
	for _, c := range []byte(table) {
		wide = append(wide, c, 0)
	}
	for name, file := range map[string]string{
		"XLSX": string(xlsxtest.Workbook(workbook.String()).Bytes(t)), "NDJSON": lines.String(), "UTF-8": table, "UTF-16": string(wide),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 1)
			ref := e.importMembers(t, file, false, nil)
			require.Equal(t, []string{"1990-03-04 2020-04-03", "1990-03-25 2020-04-25"}, e.dates(t))
			require.Equal(t, []string{"mdy DECIDED 1", "dmy DECIDED 1"}, e.texts(t, ref, `
				SELECT array_agg(concat_ws(' ', locale #>> '{dateOrder,value}', locale #>> '{dateOrder,evidence}', locale #>> '{dateOrder,decidedBy}') ORDER BY column_index)
				FROM import_column_mappings WHERE job_id = $1 AND target_field IN ('BIRTH_DATE', 'JOINED_ON')`))
		})
	}
}

// TestAmbiguousWorkbookDatesAreRefused: dates stored as text are refused as in a text file. They
// are checked while the file is split, and again by a second run of the splitter.
func TestAmbiguousWorkbookDatesAreRefused(t *testing.T) {
	t.Parallel()
	cells := func(texts ...string) string {
		return `<row><c t="inlineStr"><is><t>` + strings.Join(texts, `</t></is></c><c t="inlineStr"><is><t>`) + `</t></is></c></row>`
	}
	file := xlsxtest.Workbook(cells("First name", "Last name", "Email", "Type", "Joined on") + cells("Ada", "A", "ada@x.org", "Senior", "03/04/2020")).Bytes(t)
	e := setup(t, 1)
	ref := e.create(t, "MEMBERSHIP", "members.xlsx", string(file), member)
	e.prepare(t, ref)
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, false)
	require.Equal(t, []string{"2 Joined on: 03/04/2020 may be 3 April 2020 or 4 March 2020" + stateOrder}, e.messages(t, ref))
	require.Equal(t, []string{`DATE_ORDER_UNCERTAIN: column "Joined on": ambiguous cells: 1; set dateOrder`}, e.job(t, ref).WarningCodes)
}

func TestWholeFileDetectsDates(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	ref := e.createInEvent(t, "EVENT_PARTICIPANT", "First name,Last name,Email,Category,Birth date\n"+
		"Ada,A,ada@x.org,Junior,03/04/1990\n"+"Ben,B,ben@x.org,Junior,25/12/1990\n"+"Cid,C,cid@x.org,Junior,03.04.1990\n", `{}`)
	e.runWhole(t, ref, 1)
	require.Equal(t, []string{"1990-04-03", "1990-12-25", "1990-04-03"}, postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(birth_date::text ORDER BY first_name) FROM persons`))

	other := setupEvent(t)
	ref = other.createInEvent(t, "EVENT_PARTICIPANT", "First name,Last name,Email,Category,Birth date\n"+"Ada,A,ada@x.org,Junior,03/04/1990\n", `{}`)
	other.runWhole(t, ref, 1)
	require.Equal(t, []string{"2 Date of birth: 03/04/1990 may be 3 April 1990 or 4 March 1990" + stateOrder}, other.messages(t, ref))
}

func TestDryRunDetectsSameLocales(t *testing.T) {
	t.Parallel()
	file := datesHeader + datedLine(1, "03/04/1990", "03/04/2020") + datedLine(2, "25/12/1990", "")
	var messages [2][]string
	for i, rehearsal := range []bool{true, false} {
		e := setup(t, 1)
		messages[i] = e.messages(t, e.importMembers(t, file, false, func(j *job.Job) { j.DryRun = rehearsal }))
	}
	require.Len(t, messages[0], 1)
	require.Equal(t, messages[0], messages[1])
}

// weightLine returns an order line with the given weight and value, separated by semicolons.
func weightLine(n int, weight, value string) string {
	return strings.ReplaceAll(fmt.Sprintf("7,R%d,Acme,1 Dock Road,0801234567,Bea,2 Hill Street,Pune,411001,1,", n), ",", ";") + weight + ";express;" + value + ";0;\n"
}

func TestEachColumnHasItsOwnDecimalMark(t *testing.T) {
	t.Parallel()
	header := strings.ReplaceAll(orderHeader, ",", ";")
	e := setup(t, 1)
	e.orders(t, header+weightLine(1, "1.234", "1.234")+weightLine(2, "1.234,5", "1,234.5"), true)
	require.Equal(t, []string{"1234 1.234", "1234.5 1234.5"}, postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(trim_scale(total_weight) || ' ' || trim_scale(declared_value) ORDER BY client_reference) FROM orders`))

	open := setup(t, 1)
	ref := open.orders(t, header+weightLine(1, "1,234", "1.5")+weightLine(2, "1.234", "1,234"), false)
	require.Equal(t, []string{
		"2 Total weight: 1,234 may be 1234 or 1.234" + stateMark,
		"3 Total weight: 1.234 may be 1.234 or 1234" + stateMark,
	}, open.messages(t, ref))
	require.Equal(t, []string{`DECIMAL_MARK_UNCERTAIN: column "totalWeight": ambiguous cells: 2; set decimalMark`},
		open.job(t, ref).WarningCodes)

	assumed := setup(t, 1)
	ref = assumed.orders(t, orderHeader+strings.ReplaceAll(orderLine("A1", 1), "2.50", "1.250"), false)
	require.Equal(t, []string{"2 CREATED"}, assumed.results(t, ref))
	require.Equal(t, []string{`DECIMAL_MARK_UNCERTAIN: column "totalWeight": ambiguous cells such as 1.234, which were read with a decimal point: 1; set decimalMark`},
		assumed.job(t, ref).WarningCodes)
}

// TestAmbiguousColumnIsAsked: the question is asked even if everything else is known.
func TestAmbiguousColumnIsAsked(t *testing.T) {
	t.Parallel()
	for joined, next := range map[string]string{"03/04/2020": "COLUMN_MAPPING", "25/04/2020": "RESOLVE", "03.04.2020": "RESOLVE"} {
		e := setup(t, 1)
		ref := e.create(t, "MEMBERSHIP", "members", datesHeader+datedLine(1, "", joined), asking)
		result, err := e.analyze.Run(t.Context(), ref)
		require.NoError(t, err)
		require.Equal(t, next, result.Next, joined)
		require.Empty(t, e.job(t, ref).WarningCodes, "a question replaces the warning")
	}
}
