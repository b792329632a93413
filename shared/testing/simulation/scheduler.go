package simulation

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// scheduler runs tasks from one externally visible step (a transaction, a token, a message) to the
// next. Between the steps a task is paused until it is resumed, so that a seed determines the
// interleaving.
type scheduler struct {
	paused []*task
	events chan *task
}

// task is one invocation of a function, or one call by a person.
type task struct {
	name          string
	step          string // the next step
	inTx          bool   // the step is a transaction
	faultInjected bool   // a fault was injected
	ended         bool
	died          bool
	panicked      any
	err           error
	scheduler     *scheduler
	resumed       chan taskFault
	finish        func(*task)
}

// taskFault is the way in which a task is resumed.
type taskFault uint8

// The ways to resume a task. All but the first two are for transactions only.
const (
	proceed        taskFault = iota
	dieBefore                // the process dies before the step
	dieAfter                 // the process dies after the step
	loseResponse             // the step is done, but the caller gets an error
	dieInside                // the process dies before the commit
	rollBack                 // the transaction is rolled back with an error
	loseConnection           // the connection is lost before the commit
)

var (
	errResponseLost = errors.New("injected: response lost")
	errRefused      = errors.New("injected: rejected")
)

type taskKey struct{}

// begin starts a task, which is paused at its beginning. finish is called at its end, by the
// goroutine that runs the scheduler.
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

// pause waits until the task is resumed. It is called by the task.
func (t *task) pause(step string, inTx bool) taskFault {
	t.step, t.inTx = step, inTx
	t.scheduler.events <- t
	return <-t.resumed
}

// awaitPause waits until one task is paused or has ended, and returns it if it has ended.
func (s *scheduler) awaitPause() (ended *task) {
	t := <-s.events
	if t.ended {
		return t
	}
	s.paused = append(s.paused, t)
	return nil
}

// resume resumes tasks, concurrently if there are several, and waits until all of them are paused
// again or have ended. Only then are their finish functions called, so that nothing runs at the
// same time.
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

// doStep performs an externally visible step, unless the task is made to fail.
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
