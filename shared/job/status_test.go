package job_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

var all = []job.Status{
	job.Uploaded, job.ColumnMapping, job.CellMapping, job.Processing, job.Completed, job.Failed, job.Cancelled,
}

// moves is the life cycle of the design, written down once more.
var moves = map[job.Status][]job.Status{
	job.Uploaded:      {job.ColumnMapping, job.Processing, job.Failed, job.Cancelled},
	job.ColumnMapping: {job.Uploaded, job.CellMapping, job.Processing, job.Failed, job.Cancelled},
	job.CellMapping:   {job.Uploaded, job.Processing, job.Failed, job.Cancelled},
	job.Processing:    {job.CellMapping, job.Completed, job.Failed, job.Cancelled},
}

func TestTheLifeCycle(t *testing.T) {
	t.Parallel()
	for _, from := range all {
		for _, to := range all {
			require.Equal(t, slices.Contains(moves[from], to), from.CanBecome(to), "%s → %s", from, to)
			require.Equal(t, slices.Contains(moves[from], to), slices.Contains(job.Before(to), from), "%s before %s", from, to)
		}
		require.True(t, from.Valid())
		require.True(t, slices.IsSorted(job.Before(from)), "in a fixed order")
	}
}

func TestWhatHasEndedStaysAsItIs(t *testing.T) {
	t.Parallel()
	require.ElementsMatch(t, []job.Status{job.Completed, job.Failed, job.Cancelled}, job.Ended())
	for _, s := range all {
		ended := slices.Contains(job.Ended(), s)
		require.Equal(t, ended, s.Terminal(), "%s", s)
		if ended {
			for _, next := range all {
				require.False(t, s.CanBecome(next), "%s → %s", s, next)
			}
		} else {
			require.True(t, s.CanBecome(job.Failed) && s.CanBecome(job.Cancelled), "%s can always end", s)
		}
	}
}

func TestAWordThatIsNoStatus(t *testing.T) {
	t.Parallel()
	for _, s := range []job.Status{"", "completed", "DONE"} {
		require.False(t, s.Valid())
		require.False(t, s.Terminal(), "it has not ended: it is not known")
		require.False(t, s.CanBecome(job.Failed))
		require.Empty(t, job.Before(s))
	}
}
