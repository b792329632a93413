package faults

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loadbay/loadbay/infra/tests/intercept"
)

// What functions ask of the database at the points at which faults happen.
const (
	readChunk  = "FROM import_chunks WHERE job_id = $1 AND chunk_index = $2"
	claimChunk = readChunk + " FOR UPDATE"
	advance    = "chunks_done = chunks_done + $8"
	addChunks  = "INSERT INTO import_chunks"
	splitDone  = "split_complete = true"
)

// event is something that happens once and is waited for.
type event struct {
	once  sync.Once
	done  chan struct{}
	ended <-chan struct{} // closed when nobody is left who could make it happen
}

func (r *rig) newEvent() *event {
	return &event{done: make(chan struct{}), ended: r.Ended()}
}

func (e *event) happened() { e.once.Do(func() { close(e.done) }) }

// wait waits for it, and fails the test if it does not happen. It may be called
// from any goroutine.
func (e *event) wait(t *testing.T, what string) {
	select {
	case <-e.done:
	case <-e.ended:
		t.Errorf("never happened, for loadbay has ended: %s", what)
	case <-time.After(waitTimeout):
		t.Errorf("never happened: %s", what)
	}
}

// killAt kills a function's process at the nth statement that is a point, before
// it is sent.
func (r *rig) killAt(t *testing.T, nth int64, point func(*intercept.Statement) bool, then func()) *event {
	var seen atomic.Int64
	killed := r.newEvent()
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if point(s) && seen.Add(1) == nth {
			s.Kill()
			s.Cut()
			then()
			killed.happened()
		}
		return nil
	})
	return killed
}
