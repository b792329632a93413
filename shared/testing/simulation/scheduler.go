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
	standing []*task
	events   chan *task
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
	granted       chan verdict
	finish        func(*task)
}

// verdict is how a task goes on.
type verdict uint8

// The verdicts. All but the first two are for transactions only.
const (
	proceed    verdict = iota
	dieBefore          // the process dies before it does what it is about to do
	dieAfter           // it dies when that is done
	lose               // that is done, and the caller hears of an error
	dieInside          // it dies before the commit
	refuse             // the transaction is rolled back with an error
	disconnect         // the connection is gone before the commit
)

var (
	errLost    = errors.New("made up: the answer got lost")
	errRefused = errors.New("made up: it was refused")
)

type taskKey struct{}

// begin starts a task, which stands still at its beginning. finish is called at
// its end, by the goroutine that runs the scheduler.
func (s *scheduler) begin(ctx context.Context, name string, run func(context.Context) error, finish func(*task)) *task {
	t := &task{name: name, scheduler: s, granted: make(chan verdict), finish: finish}
	go func() {
		returned := false
		defer func() {
			t.panicked = recover()
			t.ended, t.died = true, !returned
			s.events <- t
		}()
		if t.stand("begin", false) == dieBefore {
			runtime.Goexit()
		}
		t.err = run(context.WithValue(ctx, taskKey{}, t))
		returned = true
	}()
	if ended := s.take(); ended != nil {
		ended.finish(ended)
	}
	return t
}

// stand waits to be let go on. It is called by the task.
func (t *task) stand(step string, inTx bool) verdict {
	t.step, t.inTx = step, inTx
	t.scheduler.events <- t
	return <-t.granted
}

// take waits for one task to stand still or to end, and returns it if it has ended.
func (s *scheduler) take() (ended *task) {
	t := <-s.events
	if t.ended {
		return t
	}
	s.standing = append(s.standing, t)
	return nil
}

// grant lets tasks go on, side by side if they are several, and waits until all of
// them stand still again or have ended. Only then are their finish functions called,
// so that nothing runs at the same time.
func (s *scheduler) grant(tasks []*task, how verdict) {
	for _, t := range tasks {
		s.remove(t)
		t.faultInjected = t.faultInjected || how != proceed
		t.granted <- how
	}
	var ended []*task
	for range tasks {
		if t := s.take(); t != nil {
			ended = append(ended, t)
		}
	}
	for _, t := range ended {
		t.finish(t)
	}
}

func (s *scheduler) remove(t *task) {
	for i := range s.standing {
		if s.standing[i] == t {
			s.standing = append(s.standing[:i:i], s.standing[i+1:]...)
			return
		}
	}
}

// do does something that others can see, unless the task is made to fail.
func do(ctx context.Context, what string, act func() error) error {
	t, ok := ctx.Value(taskKey{}).(*task)
	if !ok {
		return act()
	}
	switch t.stand(what, false) {
	case dieBefore:
		runtime.Goexit()
	case dieAfter:
		_ = act()
		runtime.Goexit()
	case lose:
		_ = act()
		return fmt.Errorf("%s: %w", what, errLost)
	}
	return act()
}
