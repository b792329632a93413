package step_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

const slotFile = "Email,Name\na@x.org,Anna\n"

// TestLargeFilesWaitForSlot counts the slots of an organisation: a file that is large, or has patterns,
// is read only with one.
func TestLargeFilesWaitForSlot(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	held := func() int {
		return postgrestest.Query[int](t, e.Database, `SELECT count(*)::int FROM stream_slots WHERE kind = 'read'`)
	}
	large := func(j *job.Job) { j.SizeBytes = reading.LargeFile }
	versioned := func(ref job.Ref) job.Ref {
		ref.MachineVersion = job.SlotMachineVersion
		return ref
	}
	started := e.create(t, "USER", "started.csv", slotFile, large)
	_, err := e.analyze.Run(t.Context(), versioned(started))
	require.NoError(t, err)
	_, err = e.resolve.Run(t.Context(), started)
	require.NoError(t, err)
	require.Zero(t, held(), "the slot is released")
	unresolved := e.create(t, "USER", "unresolved.csv", slotFile, large)
	_, err = e.analyze.Run(t.Context(), unresolved)
	require.NoError(t, err)
	patterns := e.create(t, "USER", "patterns.csv", slotFile, nil)
	e.saveMapping(t, patterns, `{"fields": [{"field": "EMAIL", "from": ["Email"]}, {"field": "NAME", "from": ["Name"], "transforms": [{"op": "extract", "pattern": "A.*"}]}]}`)
	_, err = e.analyze.Run(t.Context(), versioned(patterns))
	require.NoError(t, err, "the file itself is small")
	_, err = e.resolve.Run(t.Context(), versioned(patterns))
	require.NoError(t, err)

	// Another attempt at a job keeps the slot of the one that died.
	other := e.job(t, e.create(t, "USER", "other.csv", slotFile, nil))
	var slots []string
	for range quota.ReadSlot.Most {
		id, err := e.DB.AcquireJobSlot(t.Context(), other, quota.ReadSlot)
		require.NoError(t, err)
		slots = append(slots, id.String())
	}
	require.Equal(t, 1, held())
	for range quota.ReadSlot.Most - 1 {
		id, err := e.DB.AcquireSlot(t.Context(), 1, quota.ReadSlot)
		require.NoError(t, err)
		slots = append(slots, id.String())
	}
	require.Equal(t, quota.ReadSlot.Most, held())

	waiting := e.create(t, "USER", "waiting.csv", slotFile, large)
	_, err = e.analyze.Run(t.Context(), versioned(waiting))
	require.Equal(t, problem.TooManyRequests, problem.CodeOf(err))
	_, err = e.resolve.Run(t.Context(), versioned(unresolved))
	require.Equal(t, problem.TooManyRequests, problem.CodeOf(err))
	_, err = e.resolve.Run(t.Context(), unresolved)
	require.NoError(t, err, "an execution with an older definition does not wait")
	for _, ref := range []job.Ref{started, patterns} {
		require.Equal(t, problem.TooManyRequests, problem.CodeOf(e.split.Run(t.Context(), versioned(ref))))
	}
	require.Equal(t, job.Uploaded, e.job(t, waiting).Status, "the import waits")
	small := e.create(t, "USER", "small.csv", slotFile, nil)
	_, err = e.analyze.Run(t.Context(), versioned(small))
	require.NoError(t, err, "small files need no slot")
	_, err = e.analyze.Run(t.Context(), waiting)
	require.NoError(t, err, "an execution with an older definition does not wait")
	require.NotEqual(t, problem.TooManyRequests, problem.CodeOf(e.split.Run(t.Context(), started)), "nor here: it begins to read the file")

	e.Exec(t, `DELETE FROM stream_slots WHERE id = $1`, slots[len(slots)-1])
	require.NoError(t, e.split.Run(t.Context(), versioned(patterns)))
	require.Equal(t, quota.ReadSlot.Most-1, held(), "the slot is released")
}

func TestLargeWholeFilesWaitForSlot(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	ref := e.createInEvent(t, "EVENT_PARTICIPANT", "First name,Last name,Email,Category\nAda,Lovelace,ada@x.org,Junior\n", `{}`)
	size := e.job(t, ref).SizeBytes
	setSize := func(bytes int64) {
		e.Exec(t, `UPDATE import_jobs SET size_bytes = $2 WHERE uuid = $1`, ref.JobID, bytes)
	}
	setSize(reading.LargeFile)
	versioned := ref
	versioned.MachineVersion = job.SlotMachineVersion
	for range quota.ReadSlot.Most {
		_, err := e.DB.AcquireSlot(t.Context(), 1, quota.ReadSlot)
		require.NoError(t, err)
	}
	_, err := e.wholeFile(t, 10).Run(t.Context(), versioned)
	require.Equal(t, problem.TooManyRequests, problem.CodeOf(err))
	require.Equal(t, job.Processing, e.job(t, ref).Status, "the import waits")

	setSize(size)
	_, err = e.wholeFile(t, 10).Run(t.Context(), versioned)
	require.NoError(t, err, "small files need no slot")
}

// cancellingFiles cancels the import when its file is opened.
type cancellingFiles struct {
	*memory
	cancel func()
}

func (f cancellingFiles) Open(ctx context.Context, v object.Version) sheet.Source {
	f.cancel()
	return f.memory.Open(ctx, v)
}

// TestResolveWithExpensiveStepsEndsWithItsImport: cancelling takes effect after a part of the work, and
// the end of the context after the row.
func TestResolveWithExpensiveStepsEndsWithItsImport(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	file := "Email,Name,Active\n" + strings.Repeat("a@x.org,Anna,"+strings.Repeat("a", 100)+"\n", 6000)
	ref := e.create(t, "USER", "expensive.csv", file, func(j *job.Job) { j.AutoStart, j.Review = false, job.ReviewNever })
	e.saveMapping(t, ref, `{"fields": [{"field": "EMAIL", "from": ["Email"]}, {"field": "NAME", "from": ["Name"]},
		{"field": "ACTIVE", "from": ["Active"], "transforms": [{"op": "extract", "pattern": "(?:a*a*a*a*){20}b", "otherwise": "keep"}]}]}`)
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	run := func(ctx context.Context, whenOpened func()) error {
		step := resolve.New(e.DB, cancellingFiles{e.memory, whenOpened}, e.types, steptest.EventRecorder{Recorder: telemetry.NewTransitions(slog.New(slog.DiscardHandler), telemetry.NewMetrics(io.Discard))}, sheet.DefaultLimits(), slog.New(slog.DiscardHandler))
		_, err := step.Run(ctx, ref)
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, run(ctx, cancel), context.Canceled)
	err = run(t.Context(), func() {
		e.Exec(t, `UPDATE import_jobs SET status = 'CANCELLED', completed_at = now() WHERE uuid = $1`, ref.JobID)
	})
	require.Equal(t, problem.StateConflict, problem.CodeOf(err))
}
