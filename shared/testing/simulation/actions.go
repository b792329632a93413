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

// Limits that a run only reaches if it loops.
const (
	maxTurns    = 3000
	maxIdle     = 25
	maxAttempts = 40
)

// action is a possible next action; a higher weight makes it more likely.
type action struct {
	weight int
	run    func(ctx context.Context)
}

// run performs actions until none is left.
func (p *importRun) run(ctx context.Context) {
	for p.turns = 1; p.turns <= maxTurns; p.turns++ {
		p.runScheduledActions(ctx)
		options := p.options(ctx)
		if len(options) == 0 {
			if p.isFinished(ctx) {
				return
			}
			if p.idle++; p.idle > maxIdle {
				p.report("no progress, in state %q of the execution, which is %q", p.cloud.execution.state, p.cloud.execution.status)
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
				o.run(ctx)
				break
			}
		}
		p.noteCancellation(ctx)
	}
	p.report("it does not end")
}

// isFinished reports whether the job has ended and no action for it is left.
func (p *importRun) isFinished(ctx context.Context) bool {
	status, err := p.status(ctx)
	ended := err == nil && (status == "" || status.Terminal())
	return ended && p.cloud.execution.status != running && len(p.cloud.queued) == 0
}

// runScheduledActions performs the actions scheduled for this turn.
func (p *importRun) runScheduledActions(ctx context.Context) {
	if p.turns == 1 && !p.plan.startSkipped {
		p.begin(ctx, "accept", func(ctx context.Context) error { return p.cloud.Start(ctx, p.ref) }, p.background)
	}
	if p.turns == p.plan.cancelAt {
		p.begin(ctx, "cancel", func(ctx context.Context) error {
			_, err := p.functions.cancel.Cancel(ctx, p.ref)
			return err
		}, p.finishTask)
	}
	if p.turns == p.plan.retryAt {
		p.retryRequest(ctx)
	}
	if p.turns == p.plan.purgeAt {
		p.begin(ctx, "purge", p.functions.purge.Run, p.background)
	}
}

// options returns the possible next actions.
func (p *importRun) options(ctx context.Context) []action {
	var out []action
	add := func(weight int, do func(context.Context)) { out = append(out, action{weight, do}) }
	for _, t := range p.paused {
		add(6, func(context.Context) { p.advanceTask(t) })
	}
	if p.plan.concurrent && len(p.paused) > 1 {
		add(10, func(context.Context) {
			tasks := append([]*task(nil), p.paused...)
			p.record("side by side: %d", len(tasks))
			p.resume(tasks, proceed)
		})
	}
	if e := &p.cloud.execution; e.status == running && !e.invoked && e.token == "" {
		add(4, p.invokeState)
	}
	p.addDeliveries(ctx, add)
	if p.personTasks == 0 && !p.blocked && !p.script.AutoStart {
		if status, err := p.status(ctx); err == nil && (status == job.ColumnMapping || status == job.CellMapping) {
			add(3, func(ctx context.Context) { p.answerQuestions(ctx, status) })
			if p.plan.reanalyses > 0 {
				add(2, func(ctx context.Context) {
					p.plan.reanalyses--
					p.begin(ctx, "reanalyzes the file", p.reanalyze, p.finishTask)
				})
			}
		}
	}
	if p.plan.planned && p.personTasks == 0 {
		if status, err := p.status(ctx); err == nil && status == job.AwaitingApproval {
			add(3, p.approvePlan)
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

// advanceTask lets a task continue, or makes it fail.
func (p *importRun) advanceTask(t *task) {
	how := proceed
	if p.plan.faults > 0 && p.chance(12) {
		p.plan.faults--
		switch {
		case t.step == "begin":
			how = dieBefore
		case t.inTx:
			how = taskFault(1 + p.IntN(int(loseConnection)))
		default:
			how = taskFault(1 + p.IntN(int(loseResponse)))
		}
	}
	p.record("%s continues with %s%s", t.name, t.step, faultWords[how])
	p.resume([]*task{t}, how)
}

var faultWords = map[taskFault]string{
	dieBefore: " and dies before it", dieAfter: " and dies after it", loseResponse: ", and the answer is lost",
	dieInside: " and dies before its commit", rollBack: ", which is rejected", loseConnection: " and loses its connection",
}

// noteCancellation records the content of the database as soon as the job has been cancelled.
func (p *importRun) noteCancellation(ctx context.Context) {
	if p.cancelledState != "" || p.plan.cancelAt == 0 && p.plan.purgeAt == 0 || p.turns < min(p.plan.cancelAt, p.plan.purgeAt) {
		return
	}
	if status, err := p.status(ctx); err == nil && status == job.Cancelled {
		p.cancelledState, _ = p.describeState(ctx)
	}
}

// finishTask records the end of a task. An error is expected if the task was made to fail.
func (p *importRun) finishTask(t *task) {
	p.idle, p.blocked = 0, false
	switch {
	case t.panicked != nil:
		p.report("%s panicked: %v", t.name, t.panicked)
	case t.died:
		p.record("%s is dead", t.name)
	case t.err == nil:
		p.record("%s is done", t.name)
	default:
		p.record("%s: %v", t.name, t.err)
		if !t.faultInjected && !p.plan.concurrent && problem.CodeOf(t.err) == problem.Internal && !p.endedEarly() {
			p.report("%s fails for no reason: %v", t.name, t.err)
		}
	}
}

// endedEarly reports whether the job has ended early or been deleted: running tasks may fail then.
func (p *importRun) endedEarly() bool {
	status, err := p.status(context.Background())
	return err != nil || status == "" || status.Terminal() && status != job.Completed
}

func (p *importRun) background(t *task) {
	idle := p.idle
	p.finishTask(t)
	if t.name == "reconcile" {
		p.idle = idle
	}
}

// invokeState calls the function of the execution's state.
func (p *importRun) invokeState(ctx context.Context) {
	e := &p.cloud.execution
	s, name := e.current(), e.state
	e.invoked = true
	e.tokens++
	call := e.tokens
	token := ""
	if s.waits() {
		token = fmt.Sprintf("token %d", call)
		e.token = token
	}
	var next string
	p.begin(ctx, s.function(), func(ctx context.Context) (err error) {
		next, err = p.callFunction(ctx, &s, token)
		return err
	}, func(t *task) {
		p.finishTask(t)
		if e.status != running || e.state != name || e.tokens != call || !e.invoked {
			return // the execution has continued without it
		}
		p.handleResult(e, t, next)
	})
}

// handleResult continues the execution with the result of a function.
func (p *importRun) handleResult(e *execution, t *task, next string) {
	switch code := problem.CodeOf(t.err); {
	case t.err == nil && !t.died && e.token != "":
		e.attempts = 0 // the state waits
	case t.err == nil && !t.died:
		e.complete(next)
	case t.err != nil && code != problem.Internal && code != "":
		e.catch(taskError{string(code), problem.From(t.err).Message})
	default:
		e.invoked, e.token = false, ""
		if e.attempts++; e.attempts > maxAttempts {
			p.report("%s fails repeatedly: %v", t.name, t.err)
			e.status = failed
		}
	}
}

// versioned returns the reference with the version of the state machine.
func (s *state) versioned(ref job.Ref) job.Ref {
	ref.MachineVersion = int(s.Parameters.Payload["machine"].(float64))
	return ref
}

// callFunction runs a function of the state machine and returns its "next".
func (p *importRun) callFunction(ctx context.Context, s *state, token string) (string, error) {
	var r callback.Result
	var err error
	switch name := s.function(); name {
	case "analyze":
		r, err = p.functions.analyze.Run(ctx, s.versioned(p.ref))
	case "resolve":
		r, err = p.functions.resolve.Run(ctx, p.ref)
	case "wholefile":
		r, err = p.functions.isWholeFile(ctx, p.ref)
	case "await":
		err = p.functions.await.Run(ctx, await.Input{Ref: p.ref, Phase: job.Phase(s.Parameters.Payload["phase"].(string)), TaskToken: token})
	case "split":
		err = p.functions.split.Run(ctx, s.versioned(p.ref))
	case "complete":
		err = p.functions.complete.Run(ctx, p.ref)
	case "fail":
		f := p.cloud.execution.taskErr
		_, err = p.functions.fail.Run(ctx, fail.Input{Ref: p.ref, Error: f.code, Cause: fmt.Sprintf(`{"errorMessage":%q}`, f.message)})
	default:
		err = fmt.Errorf("the state machine calls unknown %q", name)
	}
	return r.Next, err
}
