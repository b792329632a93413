package simulation

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// scheduler runs tasks a stretch at a time: from one thing that others can see (a
// transaction, a token, a message) to the next. Between them a task stands still
// until it is let go on, so that one seed is one interleaving.
type scheduler struct {
	paused []*task
	events chan *task
}

// task is one invocation of a function, or one call of a person.
type task struct {
	name          string
	step          string // what it is about to do
	inTx          bool   // which is a transaction
	faultInjected bool   // it was made to fail
	ended         bool
	died          bool
	panicked      any
	err           error
	scheduler     *scheduler
	resumed       chan taskFault
	finish        func(*task)
}

// taskFault is how a task goes on.
type taskFault uint8

// The verdicts. All but the first two are for transactions only.
const (
	proceed        taskFault = iota
	dieBefore                // the process dies before it does what it is about to do
	dieAfter                 // it dies when that is done
	loseResponse             // that is done, and the caller hears of an error
	dieInside                // it dies before the commit
	rollBack                 // the transaction is rolled back with an error
	loseConnection           // the connection is gone before the commit
)

var (
	errResponseLost = errors.New("made up: the answer got lost")
	errRefused      = errors.New("made up: it was refused")
)

type taskKey struct{}

// begin starts a task, which stands still at its beginning. finish is called at
// its end, by the goroutine that runs the scheduler.
func (s *scheduler) begin(ctx context.Context, name string, run func(context.Context) error, finish func(*task)) *task {
	t := &task{name: name, scheduler: s, resumed: make(chan taskFault), finish: finish}
	go func() {
		returned := false
		defer func() {
			t.panicked = recover()
			t.ended, t.died = true, !returned
			s.events <- t
		}()
		if t.pause("begin", false) == dieBefore {
			runtime.Goexit()
		}
		t.err = run(context.WithValue(ctx, taskKey{}, t))
		returned = true
	}()
	if ended := s.awaitPause(); ended != nil {
		ended.finish(ended)
	}
	return t
}

// pause waits to be let go on. It is called by the task.
func (t *task) pause(step string, inTx bool) taskFault {
	t.step, t.inTx = step, inTx
	t.scheduler.events <- t
	return <-t.resumed
}

// awaitPause waits for one task to stand still or to end, and returns it if it has ended.
func (s *scheduler) awaitPause() (ended *task) {
	t := <-s.events
	if t.ended {
		return t
	}
	s.paused = append(s.paused, t)
	return nil
}

// resume lets tasks go on, side by side if they are several, and waits until all of
// them stand still again or have ended. Only then are their finish functions called,
// so that nothing runs at the same time.
func (s *scheduler) resume(tasks []*task, how taskFault) {
	for _, t := range tasks {
		s.remove(t)
		t.faultInjected = t.faultInjected || how != proceed
		t.resumed <- how
	}
	var ended []*task
	for range tasks {
		if t := s.awaitPause(); t != nil {
			ended = append(ended, t)
		}
	}
	for _, t := range ended {
		t.finish(t)
	}
}

func (s *scheduler) remove(t *task) {
	for i := range s.paused {
		if s.paused[i] == t {
			s.paused = append(s.paused[:i:i], s.paused[i+1:]...)
			return
		}
	}
}

// doStep does something that others can see, unless the task is made to fail.
func doStep(ctx context.Context, what string, act func() error) error {
	t, ok := ctx.Value(taskKey{}).(*task)
	if !ok {
		return act()
	}
	switch t.pause(what, false) {
	case dieBefore:
		runtime.Goexit()
	case dieAfter:
		_ = act()
		runtime.Goexit()
	case loseResponse:
		_ = act()
		return fmt.Errorf("%s: %w", what, errResponseLost)
	}
	return act()
}
