package queue

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
)

// EventMessage is a message of the webhook queue: the part of an EventBridge event
// that identifies it.
type EventMessage struct {
	Source string       `json:"source"`
	Detail job.EventRef `json:"detail"`
}

// Valid reports whether the message contains a valid event.
func (m EventMessage) Valid() bool { return m.Detail.Valid() }

// SendEvent queues an event for its organisation's webhook.
func (q *Queue) SendEvent(ctx context.Context, ref job.EventRef) error {
	return q.send(ctx, ref.OrganisationID, EventMessage{Source: job.EventSource, Detail: ref}, "event "+string(ref.EventID))
}
