package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a row costs more in a large file counts beside what it costs \copy more there, and a
// workbook counts beside the CSV of the same rows: of several measurements, the first ones.
func TestGoalsCompareSizesAndFormats(t *testing.T) {
	t.Parallel()
	took := func(rows int, subj benchTable, what string, took, copied time.Duration) measurement {
		return measurement{Rows: rows, Subject: subj.name, What: what, timedUsage: timedUsage{took: took}, peers: peers{singleCopy: timedUsage{took: copied}, parallelCopy: timedUsage{took: copied}}}
	}
	got := make(map[string]goal)
	for _, g := range evaluateGoals([]measurement{
		took(1000, userTable, `psql \copy`, time.Second, time.Second),
		took(1000, userTable, "CSV insert, new", 2*time.Second, time.Second),
		took(1000, userTable, "XLSX insert, new", 4*time.Second, time.Second),
		took(1000, userTable, "CSV insert, new", 100*time.Second, time.Second),
		took(1000, articleTable, "XLSX insert, new", time.Second, time.Second),
		took(10_000, userTable, "CSV insert, new", 60*time.Second, 20*time.Second),
	}) {
		got[g.What] = g
	}
	workbook := got["1000 rows, 7 columns, XLSX insert, new: rate beside the same rows as CSV"]
	require.InDelta(t, 0.5, workbook.Got, 1e-9)
	require.False(t, workbook.isMet())
	growth := got[`10000 rows beside 1000: growth of a row's time beside \copy's own (3.00 by 2.00)`]
	require.InDelta(t, 1.5, growth.Got, 1e-9)
	require.False(t, growth.isMet())
	require.Len(t, got, 2*3+1+1, "three of each size's new rows, a workbook of which there is a CSV, and the growth")
}
