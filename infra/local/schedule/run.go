// Package schedule invokes functions at the times of EventBridge's schedule
// expressions, in UTC. It supports rate(…) and the simple forms of cron(…),
// and rejects all others.
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

// Deliver invokes a function with a scheduled event and waits until it is done.
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

// New parses the schedules' expressions.
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

// Run fires until ctx is done. A rate fires for the first time immediately, so that work
// left unfinished by a killed stack is found without delay. Runs of a schedule never
// overlap: times that pass during a run are skipped.
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
	for err == nil { // New has checked that there is always a next time
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

// newEvent returns the event that EventBridge sends for a scheduled rule.
func newEvent(name string, when time.Time) []byte {
	event, err := json.Marshal(events.EventBridgeEvent{
		Version: "0", ID: uuid.NewString(), DetailType: "Scheduled Event", Source: "aws.events",
		AccountID: "000000000000", Region: "us-east-1", Time: when.UTC().Truncate(time.Second),
		Resources: []string{blueprint.LocalDeployment().RuleARN("", name)},
		Detail:    json.RawMessage("{}"),
	})
	if err != nil { // impossible for strings and a time
		panic(err)
	}
	return event
}
