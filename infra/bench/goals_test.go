package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The growth of the cost per row is relative to that of \copy, and the cost of a workbook to
// that of a CSV with the same rows. Of several measurements, the first one counts.
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
	workbook := got["1000 rows, 7 columns, XLSX insert, new: rate, divided by that of the same rows as CSV"]
	require.InDelta(t, 0.5, workbook.Got, 1e-9)
	require.False(t, workbook.isMet())
	growth := got[`10000 rows and 1000: growth of the time per row, divided by that of \copy (3.00 and 2.00)`]
	require.InDelta(t, 1.5, growth.Got, 1e-9)
	require.False(t, growth.isMet())
	require.Len(t, got, 2*3+1+1, "three goals for each size's new rows, one for the workbook that has a CSV, one for the growth")
}
