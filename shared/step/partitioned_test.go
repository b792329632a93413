package step_test

import (
	_ "embed"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// partitionTables replaces the tables of entities by partitioned ones: docs/beyond-one-database.md.
//
//go:embed testdata/partition.sql
var partitionTables string

// TestPartitionedTables imports, plans, applies, exports and undoes on tables that are partitioned by
// HASH (organisation_id). The results are those of ordinary tables.
func TestPartitionedTables(t *testing.T) {
	t.Parallel()
	for importType, c := range map[string]struct {
		first, second string
		change        func(*job.Job)
	}{
		"USER": {
			"Email,Full name,Role\na@x.org,Ann,user\nb@x.org,Ben,user\na@x.org,Anna,admin\nc@x.org,Cid,user\n",
			"Email,Full name,Role\nc@x.org,Cem,admin\na@x.org,Ann,user\nno address,Eve,user\nd@x.org,Dan,user\n",
			func(j *job.Job) { j.Mode = rowwrite.Upsert },
		},
		"MEMBERSHIP": {
			"First name,Last name,Email,Membership type,Membership number\nAda,Lovelace,ada@x.org,Senior,1\nBen,Bolt,ben@x.org,Junior,2\n",
			"First name,Last name,Email,Membership type,Membership number\nAda,Lovelace,ada@x.org,Junior,1\nDan,Dale,dan@x.org,Senior,5\n",
			func(j *job.Job) { member(j); j.Mode = rowwrite.Upsert },
		},
		"ORDER": {
			orderHeader + orderLine("R-1", 1) + orderLine("", 2) + orderLine("R-2", 4),
			orderHeader + orderLine("R-2", 5) + orderLine("R-3", 6) + orderLine("", 2),
			nil,
		},
	} {
		t.Run(importType, func(t *testing.T) {
			t.Parallel()
			ordinary, partitioned := setup(t, 2), setup(t, 2)
			partitioned.Exec(t, partitionTables)
			require.Positive(t, postgrestest.Query[int](t, partitioned.Database, `SELECT count(*)::int FROM pg_class WHERE relkind = 'p' AND relnamespace = 'sample'::regnamespace`))
			var outcomes [2][]string
			for i, e := range []*engine{ordinary, partitioned} {
				states := []entities{e.entities(t)}
				first := e.importFile(t, importType, c.first, false, c.change)
				states = append(states, e.entities(t))
				second := e.planSecond(t, importType, c.second, c.change)
				require.Equal(t, states[1], e.entities(t), "a plan changes nothing")
				e.apply(t, second, false)
				states = append(states, e.entities(t))
				outcomes[i] = append(append(e.results(t, first), e.results(t, second)...), e.comparable(t)...)
				typ, err := e.types.Type(t.Context(), nil, 1, importType, 0)
				require.NoError(t, err)
				if d := typ.Declaration(); importType != "ORDER" { // whose numbers are random
					outcomes[i] = append(outcomes[i], exportedValues(t, e.exportCSV(t, d))...)
				}
				e.requireUndo(t, []job.Ref{first, second}, states)
			}
			require.Equal(t, outcomes[0], outcomes[1])
		})
	}
}

// exportedValues returns the sorted rows of an export without ids and times.
func exportedValues(t *testing.T, file string) []string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	require.NoError(t, err)
	var lines []string
	for _, row := range rows {
		var line []string
		for i, value := range row {
			if !slices.Contains([]string{"id", "created_at", "updated_at"}, rows[0][i]) {
				line = append(line, value)
			}
		}
		lines = append(lines, strings.Join(line, ","))
	}
	require.Greater(t, len(lines), 2)
	slices.Sort(lines)
	return lines
}

// planSecond plans a file until it awaits approval.
func (e *engine) planSecond(t *testing.T, importType, file string, change func(*job.Job)) job.Ref {
	t.Helper()
	if importType == "ORDER" {
		return e.planOrders(t, file, false)
	}
	ref := e.plan(t, importType, file, change)
	e.drain(t, false)
	require.Empty(t, e.awaitApproval(t, ref))
	return ref
}
