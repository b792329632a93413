package job_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

var allStatuses = []job.Status{
	job.Uploaded, job.ColumnMapping, job.CellMapping, job.Processing, job.Completed, job.Failed, job.Cancelled,
}

// allowedTransitions repeats the life cycle of the design.
var allowedTransitions = map[job.Status][]job.Status{
	job.Uploaded:      {job.ColumnMapping, job.Processing, job.Failed, job.Cancelled},
	job.ColumnMapping: {job.Uploaded, job.CellMapping, job.Processing, job.Failed, job.Cancelled},
	job.CellMapping:   {job.Uploaded, job.Processing, job.Failed, job.Cancelled},
	job.Processing:    {job.CellMapping, job.Completed, job.Failed, job.Cancelled},
}

func TestStatusTransitions(t *testing.T) {
	t.Parallel()
	for _, from := range allStatuses {
		for _, to := range allStatuses {
			require.Equal(t, slices.Contains(allowedTransitions[from], to), from.CanBecome(to), "%s → %s", from, to)
			require.Equal(t, slices.Contains(allowedTransitions[from], to), slices.Contains(job.StatusesBefore(to), from), "%s before %s", from, to)
		}
		require.True(t, from.Valid())
		require.True(t, slices.IsSorted(job.StatusesBefore(from)), "statuses are in a fixed order")
	}
}

func TestTerminalStatusesAreFinal(t *testing.T) {
	t.Parallel()
	require.ElementsMatch(t, []job.Status{job.Completed, job.Failed, job.Cancelled}, job.TerminalStatuses())
	for _, s := range allStatuses {
		ended := slices.Contains(job.TerminalStatuses(), s)
		require.Equal(t, ended, s.Terminal(), "%s", s)
		if ended {
			for _, next := range allStatuses {
				require.False(t, s.CanBecome(next), "%s → %s", s, next)
			}
		} else {
			require.True(t, s.CanBecome(job.Failed) && s.CanBecome(job.Cancelled), "%s can always become FAILED or CANCELLED", s)
		}
	}
}

func TestUnknownStatus(t *testing.T) {
	t.Parallel()
	for _, s := range []job.Status{"", "completed", "DONE"} {
		require.False(t, s.Valid())
		require.False(t, s.Terminal(), "an unknown status is not terminal")
		require.False(t, s.CanBecome(job.Failed))
		require.Empty(t, job.StatusesBefore(s))
	}
}
