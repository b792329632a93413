package faults

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// participantsFile returns a file that is read as a whole.
func (r *harness) participantsFile(n int) string {
	file := r.files.Add(1)
	var text strings.Builder
	text.WriteString("First name,Last name,Email,Category,Registration number\n")
	for i := range n {
		fmt.Fprintf(&text, "P%d,Q,p%d.%d@example.org,Open,R%d.%d\n", i, file, i, file, i)
	}
	return text.String()
}

func (r *harness) enterParticipants(t *testing.T, file string) string {
	t.Helper()
	event := int64(1)
	return r.uploadFile(t, rawclient.CreateRequest{ImportType: "EVENT_PARTICIPANT", ContextID: &event, Filename: "entries.csv", AutoStart: true}, file)
}

// requireEntered waits for the end and checks that every participant was entered once.
func (r *harness) requireEntered(t *testing.T, id string, file string, n int) {
	t.Helper()
	r.requireOutcome(t, id, rawclient.Summary{Created: int64(n)})
	registration := strings.Split(strings.Split(file, "\n")[1], ",")[4]
	tag, _, _ := strings.Cut(registration, ".")
	require.Equal(t, int64(n), stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM event_participants WHERE registration_number LIKE $1 || '.%'`, tag))
}

// No invocation has time for more than one part: each leaves the rest to the next.
func wholeFileExceedsTimeout(t *testing.T, r *harness) {
	const parts = 6
	var reads, committed atomic.Int64
	r.OnSQL(t, func(s *intercept.Statement) func() {
		switch {
		case s.Function != "wholefile":
		case s.Commits(advanceSQL) && !s.Commits(addChunksSQL):
			committed.Add(1)
		case s.SQL == "commit" && !strings.Contains(s.Earlier, "FOR NO KEY UPDATE"):
			reads.Add(1)
		}
		return nil
	})
	file := r.participantsFile(parts * partRows)
	id := r.enterParticipants(t, file)
	r.requireEntered(t, id, file, parts*partRows)
	require.Equal(t, int64(parts), committed.Load())
	require.Equal(t, int64(2*parts), reads.Load(), "each invocation reads twice: whether the job is an undo, then the job")
}

// A part's invocation dies before its checkpoint is committed, or after it.
func wholeFileCrashes(committed bool) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		const parts = 4
		var seen atomic.Int64
		r.OnSQL(t, func(s *intercept.Statement) func() {
			if s.Function != "wholefile" || !s.Commits(advanceSQL) || s.Commits(addChunksSQL) || seen.Add(1) != 2 {
				return nil
			}
			if committed {
				return s.Kill
			}
			s.Kill()
			s.Disconnect()
			return nil
		})
		file := r.participantsFile(parts * partRows)
		id := r.enterParticipants(t, file)
		r.requireEntered(t, id, file, parts*partRows)
		want := int64(parts)
		if !committed {
			want++ // that part is written again
		}
		require.Equal(t, want, seen.Load())
	}
}
