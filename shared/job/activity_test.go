package job_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

func TestActivity(t *testing.T) {
	t.Parallel()
	arrived := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	for want, j := range map[job.Activity]job.Job{
		job.Receiving:     {Status: job.Uploaded},
		job.Analysing:     {Status: job.Uploaded, UploadedAt: &arrived},
		job.AskColumns:    {Status: job.ColumnMapping},
		job.LookingUp:     {Status: job.CellMapping},
		job.AskValues:     {Status: job.CellMapping, Waiting: true},
		job.Splitting:     {Status: job.Processing, Progress: job.Progress{ChunkTotal: 2, ChunksDone: 2}},
		job.Writing:       {Status: job.Processing, Progress: job.Progress{ChunkTotal: 2, ChunksDone: 1, SplitComplete: true}},
		job.Finishing:     {Status: job.Processing, Progress: job.Progress{ChunkTotal: 2, ChunksDone: 2, SplitComplete: true}},
		job.ActivityEnded: {Status: job.Cancelled},
	} {
		require.Equal(t, want, j.Activity())
	}
	whole := job.Job{Status: job.Processing, WholeFile: true}
	require.Equal(t, job.Writing, whole.Activity())
}

func TestThroughput(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	j := job.Job{
		Status: job.Processing, StartedAt: &began, UpdatedAt: began.Add(10 * time.Second),
		Progress: job.Progress{TotalRows: 5000, SplitComplete: true, Counts: job.Counts{Created: 800, Updated: 100, Skipped: 50, Errored: 50}},
	}
	pace, left, known := j.Throughput()
	require.True(t, known)
	require.InDelta(t, 100, pace, 0.001)
	require.Equal(t, 40*time.Second, left)

	for name, change := range map[string]func(*job.Job){
		"no rows done":               func(j *job.Job) { j.Progress.Counts = job.Counts{} },
		"total not known":            func(j *job.Job) { j.Progress.SplitComplete = false },
		"not started":                func(j *job.Job) { j.StartedAt = nil },
		"waits for a person":         func(j *job.Job) { j.Status = job.CellMapping },
		"started at the last update": func(j *job.Job) { j.UpdatedAt = began },
	} {
		other := j
		change(&other)
		_, _, known := other.Throughput()
		require.False(t, known, name)
	}
}
