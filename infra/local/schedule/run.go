// Package schedule invokes functions at the times of EventBridge's schedule
// expressions, in UTC. Of these it reads rate(…) and the plain forms of cron(…),
// and refuses all others.
//
// Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
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
	next      nextTime
	immediate bool
}

// New reads the schedules' expressions.
func New(schedules []blueprint.Schedule, deliver Deliver) (*Runner, error) {
	r := &Runner{deliver: deliver}
	for _, s := range schedules {
		next, atOnce, err := parseExpression(s.Expression)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		r.entries = append(r.entries, entry{Schedule: s, next: next, immediate: atOnce})
	}
	return r, nil
}

// Run fires until ctx is done. A rate begins at once, so that what was left
// undone when a stack was killed is found without delay. A schedule never runs
// twice at a time: times that pass during a run are left out.
func (r *Runner) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, e := range r.entries {
		all.Go(func() { r.runEntry(ctx, e) })
	}
	all.Wait()
}

func (r *Runner) runEntry(ctx context.Context, e entry) {
	due, err := time.Now(), error(nil)
	if !e.immediate {
		due, err = e.next(due)
	}
	for err == nil { // New has seen that there is always a next time
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(due)):
		}
		r.deliver(ctx, e.Function, newEvent(e.Name, due))
		for due, err = e.next(due); err == nil && due.Before(time.Now()); {
			due, err = e.next(due)
		}
	}
}

// newEvent is what EventBridge sends at a rule's times.
func newEvent(name string, when time.Time) []byte {
	event, err := json.Marshal(events.EventBridgeEvent{
		Version: "0", ID: uuid.NewString(), DetailType: "Scheduled Event", Source: "aws.events",
		AccountID: "000000000000", Region: "us-east-1", Time: when.UTC().Truncate(time.Second),
		Resources: []string{blueprint.LocalDeployment().RuleARN("", name)},
		Detail:    json.RawMessage("{}"),
	})
	if err != nil { // strings and a time
		panic(err)
	}
	return event
}
