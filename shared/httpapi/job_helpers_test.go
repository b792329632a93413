package httpapi_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// finishJob completes a job like the workflow, with one chunk from row 2 on that has these
// outcomes, one letter per line.
func (b *bundle) finishJob(t *testing.T, id, outcomes string, results ...job.RowResult) {
	t.Helper()
	b.processRows(t, id, outcomes, results...)
	b.setStatus(t, id, job.Completed)
}

// processRows writes the rows of a job and leaves it PROCESSING.
func (b *bundle) processRows(t *testing.T, id, outcomes string, results ...job.RowResult) {
	t.Helper()
	b.setStatus(t, id, job.Processing)
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		chunk := job.Chunk{JobKey: j.Key, Key: j.ObjectKey, Length: 1, FirstRow: 2, Lines: len(outcomes), Rows: len(outcomes)}
		require.NoError(t, b.DB.AddChunks(t.Context(), tx, j, []job.Chunk{chunk}))
		counts := job.CountOutcomes([]byte(outcomes))
		_, _, err = b.DB.CompleteSplit(t.Context(), tx, j.Key, job.SplitTotals{
			Chunks: 1, Lines: int64(len(outcomes)) + 1, Rows: int64(len(outcomes)) - counts.Blank, Blank: counts.Blank, Header: 1,
		})
		require.NoError(t, err)
		chunk.Done, chunk.Outcomes = true, []byte(outcomes)
		require.NoError(t, b.DB.SaveOutcomes(t.Context(), tx, &chunk))
		require.NoError(t, b.DB.AddResults(t.Context(), tx, j, results))
		_, moved, err := b.DB.AddProgress(t.Context(), tx, j.Key, counts, 1)
		require.True(t, moved)
		return err
	})
}

// setStatus changes a job's status.
func (b *bundle) setStatus(t *testing.T, id string, to job.Status) {
	t.Helper()
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		_, moved, err := b.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: to})
		require.True(t, moved, "%s to %s", j.Status, to)
		return err
	})
}

// errorRow returns a row with one error.
func errorRow(row int64, outcome rowwrite.Outcome, code, field, value, message string) job.RowResult {
	return job.RowResult{Row: row, Outcome: outcome, Errors: []rowwrite.Error{{Code: problem.Code(code), Field: field, Value: value, Message: message}}}
}
