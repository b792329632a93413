package process_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// expensiveSteps are steps of which each row takes most of its budget.
const expensiveSteps = `[{"op":"extract","pattern":"(?:a*a*a*a*){20}b","otherwise":"keep"}]`

// usersWithExpensiveNames are 5,000 users of one chunk.
func usersWithExpensiveNames() importFile {
	f := importFile{mode: rowwrite.Insert, fields: []string{"EMAIL", "NAME"}, chunkRows: 5000}
	for i := range 5000 {
		f.rows = append(f.rows, []string{emailOf(i), strings.Repeat("a", 100)})
	}
	return f
}

// TestChunkWithExpensiveStepsEndsWithItsImport: cancelling takes effect after a part of the work.
func TestChunkWithExpensiveStepsEndsWithItsImport(t *testing.T) {
	t.Parallel()
	r := setup(t)
	run := r.splitAndComplete(t, usersWithExpensiveNames())
	r.Exec(t, `UPDATE import_column_mappings SET transforms = $2 WHERE job_id = $1 AND target_field = 'NAME'`, run.Key, expensiveSteps)
	r.onRead = func(string) {
		r.Exec(t, `UPDATE import_jobs SET status = 'CANCELLED', completed_at = now() WHERE id = $1`, run.Key)
	}
	require.NoError(t, r.step.Run(t.Context(), run.chunks[0]))
	require.Zero(t, r.claims.Load(), "the chunk was decoded to its end")
	require.Equal(t, job.Cancelled, r.ReadJob(t, run.ID).Status)
}
