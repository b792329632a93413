package simulation

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/step/await"
	"github.com/loadbay/loadbay/shared/step/fail"
)

// Bounds that no play comes near unless something goes round in circles.
const (
	maxTurns    = 3000
	maxIdle     = 25
	maxAttempts = 40
)

// option is something that can happen next, the more likely the heavier it is.
type option struct {
	weight int
	do     func(ctx context.Context)
}

// run plays until nothing is left to happen.
func (p *play) run(ctx context.Context) {
	for p.turns = 1; p.turns <= maxTurns; p.turns++ {
		p.timed(ctx)
		options := p.options(ctx)
		if len(options) == 0 {
			if p.settled(ctx) {
				return
			}
			if p.idle++; p.idle > maxIdle {
				p.say("nothing goes on, in state %q of the execution, which is %q", p.cloud.execution.state, p.cloud.execution.status)
				return
			}
			p.begin(ctx, "reconcile", p.functions.reconcile.Run, p.background)
			continue
		}
		total := 0
		for _, o := range options {
			total += o.weight
		}
		pick := p.IntN(total)
		for _, o := range options {
			if pick -= o.weight; pick < 0 {
				o.do(ctx)
				break
			}
		}
		p.watch(ctx)
	}
	p.say("it goes on and on")
}

// settled reports whether the job has ended and nothing of it is left to happen.
func (p *play) settled(ctx context.Context) bool {
	j, err := p.job(ctx)
	ended := problem.CodeOf(err) == problem.NotFound || err == nil && j.Status.Terminal()
	return ended && p.cloud.execution.status != running && len(p.cloud.queued) == 0
}

// timed does what happens at a certain turn.
func (p *play) timed(ctx context.Context) {
	if p.turns == 1 && !p.plan.unaccepted {
		p.begin(ctx, "accept", func(ctx context.Context) error { return p.cloud.Start(ctx, p.ref) }, p.background)
	}
	if p.turns == p.plan.cancelAt {
		p.begin(ctx, "cancel", func(ctx context.Context) error {
			_, err := p.functions.cancel.Cancel(ctx, p.ref)
			return err
		}, p.conclude)
	}
	if p.turns == p.plan.askAt {
		p.meanwhile(ctx)
	}
	if p.turns == p.plan.purgeAt {
		p.begin(ctx, "purge", p.functions.purge.Run, p.background)
	}
}

// options are what can happen next.
func (p *play) options(ctx context.Context) []option {
	var out []option
	add := func(weight int, do func(context.Context)) { out = append(out, option{weight, do}) }
	for _, t := range p.standing {
		add(6, func(context.Context) { p.goOn(t) })
	}
	if p.plan.together && len(p.standing) > 1 {
		add(10, func(context.Context) {
			tasks := append([]*task(nil), p.standing...)
			p.act("side by side: %d", len(tasks))
			p.grant(tasks, proceed)
		})
	}
	if e := &p.cloud.execution; e.status == running && !e.called && e.token == "" {
		add(4, p.invoke)
	}
	p.messages(ctx, add)
	if p.personal == 0 && !p.refused && !p.script.AutoStart {
		if j, err := p.job(ctx); err == nil && (j.Status == job.ColumnMapping || j.Status == job.CellMapping) {
			add(3, func(ctx context.Context) { p.person(ctx, j.Status) })
			if p.plan.rereads > 0 {
				add(2, func(ctx context.Context) {
					p.plan.rereads--
					p.begin(ctx, "has the file read again", p.readAgain, p.conclude)
				})
			}
		}
	}
	if p.plan.planned && p.personal == 0 {
		if j, err := p.job(ctx); err == nil && j.Status == job.AwaitingApproval {
			add(3, func(ctx context.Context) { p.approve(ctx, j) })
		}
	}
	if len(out) > 0 && p.plan.reconciles > 0 {
		add(1, func(ctx context.Context) {
			p.plan.reconciles--
			p.begin(ctx, "reconcile", p.functions.reconcile.Run, p.background)
		})
	}
	return out
}

// goOn lets a task go on, or makes it fail.
func (p *play) goOn(t *task) {
	how := proceed
	if p.plan.faults > 0 && p.chance(12) {
		p.plan.faults--
		switch {
		case t.step == "begin":
			how = dieBefore
		case t.inTx:
			how = verdict(1 + p.IntN(int(disconnect)))
		default:
			how = verdict(1 + p.IntN(int(lose)))
		}
	}
	p.act("%s goes on with %s%s", t.name, t.step, words[how])
	p.grant([]*task{t}, how)
}

var words = map[verdict]string{
	dieBefore: " and dies before it", dieAfter: " and dies after it", lose: ", and the answer is lost",
	dieInside: " and dies before its commit", refuse: ", which is refused", disconnect: " and loses its connection",
}

// watch keeps what the database holds as soon as the job has been cancelled.
func (p *play) watch(ctx context.Context) {
	if p.final != "" || p.plan.cancelAt == 0 && p.plan.purgeAt == 0 || p.turns < min(p.plan.cancelAt, p.plan.purgeAt) {
		return
	}
	if j, err := p.job(ctx); err == nil && j.Status == job.Cancelled {
		p.final, _ = p.state(ctx)
	}
}

// conclude notes the end of a task. An error is in order if the task was made to fail.
func (p *play) conclude(t *task) {
	p.idle, p.refused = 0, false
	switch {
	case t.panicked != nil:
		p.say("%s panicked: %v", t.name, t.panicked)
	case t.died:
		p.act("%s is dead", t.name)
	case t.err == nil:
		p.act("%s is done", t.name)
	default:
		p.act("%s: %v", t.name, t.err)
		if !t.faultInjected && !p.plan.together && problem.CodeOf(t.err) == problem.Internal && !p.stopped() {
			p.say("%s fails for no reason: %v", t.name, t.err)
		}
	}
}

// stopped reports whether the job has ended early, or is gone: whatever was at work
// on it may fail then.
func (p *play) stopped() bool {
	j, err := p.job(context.Background())
	return err != nil || j.Status.Terminal() && j.Status != job.Completed
}

func (p *play) background(t *task) {
	idle := p.idle
	p.conclude(t)
	if t.name == "reconcile" {
		p.idle = idle
	}
}

// invoke calls the function of the execution's state.
func (p *play) invoke(ctx context.Context) {
	e := &p.cloud.execution
	s, name := e.current(), e.state
	e.called = true
	e.tokens++
	call := e.tokens
	token := ""
	if s.waits() {
		token = fmt.Sprintf("token %d", call)
		e.token = token
	}
	var next string
	p.begin(ctx, s.function(), func(ctx context.Context) (err error) {
		next, err = p.call(ctx, &s, token)
		return err
	}, func(t *task) {
		p.conclude(t)
		if e.status != running || e.state != name || e.tokens != call || !e.called {
			return // the execution has gone on without it
		}
		p.returned(e, t, next)
	})
}

// returned goes on with what a function has returned to the execution.
func (p *play) returned(e *execution, t *task, next string) {
	switch code := problem.CodeOf(t.err); {
	case t.err == nil && !t.died && e.token != "":
		e.attempts = 0 // it waits
	case t.err == nil && !t.died:
		e.leave(next)
	case t.err != nil && code != problem.Internal && code != "":
		e.caught(taskError{string(code), problem.Of(t.err).Message})
	default:
		e.called, e.token = false, ""
		if e.attempts++; e.attempts > maxAttempts {
			p.say("%s fails again and again: %v", t.name, t.err)
			e.status = failed
		}
	}
}

// call runs a function of the state machine and returns its "next".
func (p *play) call(ctx context.Context, s *state, token string) (string, error) {
	var r callback.Result
	var err error
	switch name := s.function(); name {
	case "analyze":
		ref := p.ref
		ref.Machine = int(s.Parameters.Payload["machine"].(float64))
		r, err = p.functions.analyze.Run(ctx, ref)
	case "resolve":
		r, err = p.functions.resolve.Run(ctx, p.ref)
	case "wholefile":
		r, err = p.functions.whole(ctx, p.ref)
	case "await":
		err = p.functions.await.Run(ctx, await.Input{Ref: p.ref, Phase: job.Phase(s.Parameters.Payload["phase"].(string)), TaskToken: token})
	case "split":
		err = p.functions.split.Run(ctx, p.ref)
	case "complete":
		err = p.functions.complete.Run(ctx, p.ref)
	case "fail":
		f := p.cloud.execution.taskErr
		_, err = p.functions.fail.Run(ctx, fail.Input{Ref: p.ref, Error: f.code, Cause: fmt.Sprintf(`{"errorMessage":%q}`, f.message)})
	default:
		err = fmt.Errorf("the state machine calls %q, which nobody knows", name)
	}
	return r.Next, err
}
