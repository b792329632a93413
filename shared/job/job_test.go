package job_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

func TestCountOutcomes(t *testing.T) {
	t.Parallel()
	c := job.CountOutcomes([]byte("CCUSE D.ECX"))
	require.Equal(t, job.Counts{Created: 3, Updated: 1, Skipped: 1, Errored: 2, Deferred: 1, Blank: 1}, c)
	require.Equal(t, int64(4), c.Success(), "skipped rows do not count as successful")
	require.Equal(t, int64(7), c.Processed())
	require.Equal(t, job.Counts{}, job.CountOutcomes(nil))
}

func TestCountsAddAndSub(t *testing.T) {
	t.Parallel()
	a := job.Counts{Created: 1, Updated: 2, Skipped: 3, Errored: 4, Deferred: 5, Blank: 6}
	b := job.Counts{Created: 10, Updated: 20, Skipped: 30, Errored: 40, Deferred: 50, Blank: 60}
	require.Equal(t, job.Counts{Created: 11, Updated: 22, Skipped: 33, Errored: 44, Deferred: 55, Blank: 66}, a.Add(b))
	require.Equal(t, job.Counts{Created: 9, Updated: 18, Skipped: 27, Errored: 36, Deferred: 45, Blank: 54}, b.Sub(a))
}

func TestOutcomeNames(t *testing.T) {
	t.Parallel()
	for o, name := range map[rowwrite.Outcome]string{
		rowwrite.Created: "CREATED", rowwrite.Updated: "UPDATED", rowwrite.Unchanged: "UNCHANGED", rowwrite.Skipped: "SKIPPED", rowwrite.Errored: "ERROR",
	} {
		require.Equal(t, name, o.String())
		parsed, ok := rowwrite.ParseOutcome(name)
		require.True(t, ok)
		require.Equal(t, o, parsed)
	}
	for _, o := range []rowwrite.Outcome{rowwrite.Pending, rowwrite.Blank, rowwrite.Deferred, 0} {
		require.Empty(t, o.String(), "outcome %q has no name", byte(o))
	}
	for _, name := range []string{"", "created", "DEFERRED"} {
		_, ok := rowwrite.ParseOutcome(name)
		require.False(t, ok, name)
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		progress job.Progress
		want     int
	}{
		"no progress":                {job.Progress{}, 0},
		"file without rows":          {job.Progress{SplitComplete: true}, 100},
		"begun":                      {job.Progress{TotalRows: 1000, Counts: job.Counts{Created: 9}}, 0},
		"half":                       {job.Progress{TotalRows: 10, Counts: job.Counts{Created: 2, Updated: 1, Skipped: 1, Errored: 1}}, 50},
		"all rows but one":           {job.Progress{TotalRows: 1000, Counts: job.Counts{Created: 999}}, 99},
		"deferred rows are not done": {job.Progress{TotalRows: 4, Counts: job.Counts{Created: 3, Deferred: 1}}, 75},
		"all":                        {job.Progress{TotalRows: 3, Counts: job.Counts{Created: 3}}, 100},
		"more rows than estimated":   {job.Progress{TotalRows: 3, Counts: job.Counts{Created: 5}}, 100},
	} {
		require.Equal(t, c.want, c.progress.Percent(), name)
	}
}

func TestProgressRowsDone(t *testing.T) {
	t.Parallel()
	require.True(t, job.Progress{SplitComplete: true}.RowsDone())
	require.True(t, job.Progress{SplitComplete: true, ChunkTotal: 2, ChunksDone: 2}.RowsDone())
	require.False(t, job.Progress{SplitComplete: true, ChunkTotal: 2, ChunksDone: 1}.RowsDone())
	require.False(t, job.Progress{ChunksDone: 2}.RowsDone())
	require.False(t, job.Progress{}.RowsDone())
}

func TestProgressReconciles(t *testing.T) {
	t.Parallel()
	p := job.Progress{FileLines: 21, BlankLines: 2, HeaderLines: 1, Counts: job.Counts{Created: 9, Updated: 4, Skipped: 3, Errored: 2, Blank: 2}}
	require.True(t, p.Reconciles())
	p.Counts.Errored++
	require.False(t, p.Reconciles())
	p.Counts.Errored--
	p.Counts.Deferred, p.Counts.Created = 1, 8
	require.False(t, p.Reconciles(), "a deferred row prevents the reconciliation")
}

// import.asl.json and messages in transit contain these names.
func TestWireFormat(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(job.ChunkRef{Ref: job.Ref{JobID: "j", OrganisationID: 7}, Chunk: 3})
	require.NoError(t, err)
	require.JSONEq(t, `{"jobId":"j","organisationId":7,"chunk":3}`, string(text))
}

func TestChunkKeysHaveJobPrefix(t *testing.T) {
	t.Parallel()
	j := &job.Job{ID: "u", OrganisationID: 7}
	require.Equal(t, "chunks/7/u/", j.ChunksPrefix())
	require.Equal(t, "chunks/7/u/000012", j.ChunkKey(12))
}
