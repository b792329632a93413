package interp

import (
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
)

// handleError selects the reaction to a failed attempt: another attempt, a Catcher's state, or the
// end.
func (t *Turn) handleError(state *asl.State, task *asl.Task, failure Failure) transition {
	t.execution.Visit.Attempt = nil
	if t.retry(task, failure) {
		return transition{}
	}
	for _, catcher := range task.Catch {
		if failure.matches(catcher.ErrorEquals) {
			return t.catchFailure(state, catcher, failure)
		}
	}
	return t.fail(failure)
}

// retry plans another attempt if the first matching Retrier has one left.
func (t *Turn) retry(task *asl.Task, failure Failure) bool {
	visit := t.execution.Visit
	for i, retrier := range task.Retry {
		if !failure.matches(retrier.ErrorEquals) {
			continue
		}
		if visit.Retries == nil {
			visit.Retries = make([]int, len(task.Retry))
		}
		if visit.Retries[i] >= retrier.MaxAttempts || t.historyFull() {
			return false
		}
		visit.Wake = t.env.Now.Add(retrier.Delay(visit.Retries[i], t.env.Random())).Truncate(time.Millisecond)
		visit.Retries[i]++
		return true
	}
	return false
}

// catchFailure leaves the state through a Catcher.
func (t *Turn) catchFailure(state *asl.State, catcher asl.Catcher, failure Failure) transition {
	output, err := applyResultPath(catcher.Result, t.value, failure.output())
	if err != nil {
		return t.fail(t.failureOf(err))
	}
	next, err := t.exit(state, output, catcher.Next)
	if err != nil {
		return t.fail(t.failureOf(err))
	}
	return next
}
