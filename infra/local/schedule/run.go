package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// Deliver gives a scheduled event to a function and waits until it is done.
type Deliver func(ctx context.Context, function string, event []byte)

// Runner fires schedules.
type Runner struct {
	entries []entry
	deliver Deliver
}

type entry struct {
	blueprint.Schedule
	expression Expression
}

// New reads the schedules' expressions.
func New(schedules []blueprint.Schedule, deliver Deliver) (*Runner, error) {
	r := &Runner{deliver: deliver}
	for _, s := range schedules {
		expression, err := Parse(s.Expression)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		r.entries = append(r.entries, entry{Schedule: s, expression: expression})
	}
	return r, nil
}

// Schedules are those that the runner fires.
func (r *Runner) Schedules() []blueprint.Schedule {
	schedules := make([]blueprint.Schedule, len(r.entries))
	for i, e := range r.entries {
		schedules[i] = e.Schedule
	}
	return schedules
}

// Run fires until ctx is done. A rate begins at once, so that what was left
// undone when a stack was killed is found without delay. A schedule never runs
// twice at a time: times that pass during a run are left out.
func (r *Runner) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, e := range r.entries {
		all.Go(func() { r.follow(ctx, e) })
	}
	all.Wait()
}

func (r *Runner) follow(ctx context.Context, e entry) {
	next := time.Now()
	if _, isRate := e.expression.(rate); !isRate {
		next = e.expression.Next(next)
	}
	for !next.IsZero() {
		timer := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		r.deliver(ctx, e.Function, newEvent(e.Name, next))
		for next = e.expression.Next(next); !next.IsZero() && next.Before(time.Now()); {
			next = e.expression.Next(next)
		}
	}
}

// newEvent is what EventBridge sends at a rule's times.
func newEvent(name string, at time.Time) []byte {
	event, err := json.Marshal(events.EventBridgeEvent{
		Version: "0", ID: uuid.NewString(), DetailType: "Scheduled Event", Source: "aws.events",
		AccountID: "000000000000", Region: "us-east-1", Time: at.UTC().Truncate(time.Second),
		Resources: []string{blueprint.LocalPlace().RuleARN("", name)},
		Detail:    json.RawMessage("{}"),
	})
	if err != nil { // strings and a time
		panic(err)
	}
	return event
}
