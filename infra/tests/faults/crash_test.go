package faults

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loadbay/loadbay/infra/tests/intercept"
)

// Statements of the functions at which faults are injected.
const (
	readChunkSQL     = "FROM import_chunks WHERE job_id = $1 AND chunk_index = $2"
	claimChunkSQL    = readChunkSQL + " FOR UPDATE"
	advanceSQL       = "chunks_done = chunks_done + $8"
	addChunksSQL     = "INSERT INTO import_chunks"
	splitCompleteSQL = "split_complete = true"
)

// event is something that happens once and can be awaited.
type event struct {
	once  sync.Once
	done  chan struct{}
	ended <-chan struct{} // closed when the event can no longer happen
}

func (r *harness) newEvent() *event {
	return &event{done: make(chan struct{}), ended: r.Exited()}
}

func (e *event) set() { e.once.Do(func() { close(e.done) }) }

// wait waits for the event and fails the test if it does not happen. It may be called
// from any goroutine.
func (e *event) wait(t *testing.T, what string) {
	select {
	case <-e.done:
	case <-e.ended:
		t.Errorf("did not happen before loadbay ended: %s", what)
	case <-time.After(waitTimeout):
		t.Errorf("did not happen in time: %s", what)
	}
}

// killAt kills a function's process at the nth statement for which point is true, before
// the statement is sent.
func (r *harness) killAt(t *testing.T, nth int64, point func(*intercept.Statement) bool, then func()) *event {
	var seen atomic.Int64
	killed := r.newEvent()
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if point(s) && seen.Add(1) == nth {
			s.Kill()
			s.Disconnect()
			then()
			killed.set()
		}
		return nil
	})
	return killed
}
