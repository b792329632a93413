package job_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

func TestWarningsNameUnusedColumns(t *testing.T) {
	t.Parallel()
	columns := []job.UnusedColumn{
		{Name: "Shoe size", Values: 240}, {Name: "Hat", Values: 1}, {Name: "#3", Values: 2},
		{Name: `the "best" with 7 values is not used`, Values: 3}, {Name: "two\nlines\\", Values: 4}, {Name: "größe", Values: 5},
	}
	warnings := []string{"FOOTER_LIKELY", "COLUMN_UNUSED: 3 more columns with values are not used"}
	for _, c := range columns {
		warnings = append(warnings, c.Warning())
	}
	require.Equal(t, columns, job.WarnedColumns(warnings))

	long := job.UnusedColumn{Name: strings.Repeat("ä", 100), Values: 1}
	require.Equal(t, []job.UnusedColumn{{Name: strings.Repeat("ä", 60), Values: 1}}, job.WarnedColumns([]string{long.Warning()}))
}
