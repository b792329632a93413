package queue

import (
	"context"
	"time"

	"github.com/loadbay/loadbay/shared/job"
)

// EventMessage is a message of the webhook queue: the part of an EventBridge event
// that identifies it.
type EventMessage struct {
	Source string       `json:"source"`
	Detail job.EventRef `json:"detail"`
	// Call marks the call of the webhook about the event; other messages are about its e-mails, and
	// queue the call.
	Call bool `json:"call,omitempty"`
}

// Valid reports whether the message contains a valid event.
func (m EventMessage) Valid() bool { return m.Detail.Valid() }

// SendEvent queues an event for its organisation.
func (q *Queue) SendEvent(ctx context.Context, ref job.EventRef) error {
	return q.send(ctx, ref.OrganisationID, EventMessage{Source: job.EventSource, Detail: ref}, "event "+string(ref.EventID))
}

// SendCall queues the call of a webhook about an event, after a delay.
func (q *Queue) SendCall(ctx context.Context, ref job.EventRef, delay time.Duration) error {
	return q.sendLater(ctx, ref.OrganisationID, EventMessage{Source: job.EventSource, Detail: ref, Call: true}, "call about event "+string(ref.EventID), delay)
}
