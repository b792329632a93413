package operations

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Depth is the approximate number of messages in a queue.
type Depth struct{ Waiting, InFlight, Delayed int64 }

// Message is a message of a queue. Its body and receipt are never shown.
type Message struct {
	ID       string
	SentAt   time.Time
	Receives int // how often it was received
	Body     string
	Receipt  string
}

// Names of the queues.
const (
	Rows     = "rows"     // chunks of rows
	Exports  = "exports"  // exports to write
	Fetches  = "fetches"  // files to fetch
	Webhooks = "webhooks" // events to deliver
	Events   = "events"   // files that have arrived
)

// QueueState is the state of a queue and its dead letters.
type QueueState struct {
	Name     string
	Work     *Depth // nil for work that arrives without a queue
	Dead     Depth
	OldestAt *time.Time // when the oldest waiting work arrived, according to the database
}

// QueueStates returns the states of all queues.
func (s *Service) QueueStates(ctx context.Context) ([]QueueState, error) {
	var waiting Waiting
	err := s.Store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		waiting, err = s.Store.WaitingSince(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	states := []QueueState{
		{Name: Rows, OldestAt: waiting.Rows}, {Name: Exports, OldestAt: waiting.Exports}, {Name: Fetches, OldestAt: waiting.Fetches},
		{Name: Webhooks, OldestAt: waiting.Webhooks}, {Name: Events},
	}
	for i := range states {
		if err := s.measureQueue(ctx, &states[i]); err != nil {
			return nil, err
		}
	}
	return states, nil
}

func (s *Service) measureQueue(ctx context.Context, state *QueueState) (err error) {
	pair, err := s.queuePair(state.Name)
	if err != nil {
		return err
	}
	if state.Dead, err = pair.Dead.Depth(ctx); err != nil || pair.Work == nil {
		return err
	}
	work, err := pair.Work.Depth(ctx)
	state.Work = &work
	return err
}

func (s *Service) queuePair(name string) (QueuePair, error) {
	switch name {
	case Rows:
		return s.Queues.Rows, nil
	case Exports:
		return s.Queues.Exports, nil
	case Fetches:
		return s.Queues.Fetches, nil
	case Webhooks:
		return s.Queues.Webhooks, nil
	case Events:
		return s.Queues.Events, nil
	}
	return QueuePair{}, problem.New(problem.NotFound, "No queue with this name exists.")
}

// maxDeadLetters limits how many dead letters are shown or searched: a queue returns its
// messages in no order, ten at a time.
const maxDeadLetters = 50

// DeadLetter is a message that could not be processed, with the ids that it contains; missing
// ones are "" or 0.
type DeadLetter struct {
	ID           string
	SentAt       time.Time
	Receives     int
	Organisation tenant.ID
	Job          job.ID
	Chunk        *int
	Export       job.ExportID
	Event        job.EventID
	Object       string // key of a file in the bucket
	Redrivable   bool   // whether it can be put back into its queue
}

// DeadLetters returns the dead letters of a queue: all, if there are few.
func (s *Service) DeadLetters(ctx context.Context, queue string) (found []DeadLetter, err error) {
	pair, err := s.queuePair(queue)
	if err != nil {
		return nil, err
	}
	letters, err := pair.Dead.Receive(ctx, maxDeadLetters)
	if err != nil {
		return nil, err
	}
	for _, l := range letters {
		if err := pair.Dead.Release(ctx, l); err != nil {
			return nil, err
		}
		found = append(found, parseDeadLetter(l, pair.Work != nil))
	}
	return found, nil
}

// messageIDs are the members read from a message: ids of Loadbay's own messages, of a bus
// event, or of a bucket event, either as delivered or wrapped by a failed invocation.
type messageIDs struct {
	job.Ref
	Chunk  *int         `json:"chunk"`
	Export job.ExportID `json:"exportId"`
	Detail struct {
		job.EventRef
		Object struct {
			Key string `json:"key"`
		} `json:"object"`
	} `json:"detail"`
	Request *messageIDs `json:"requestPayload"`
}

// parseDeadLetter extracts the ids of a message. Anything that does not have Loadbay's format
// is not shown.
func parseDeadLetter(l Message, redrivable bool) DeadLetter {
	d := DeadLetter{ID: l.ID, SentAt: l.SentAt, Receives: l.Receives, Redrivable: redrivable}
	var c messageIDs
	if json.Unmarshal([]byte(l.Body), &c) != nil {
		return d
	}
	if c.Request != nil {
		c = *c.Request
	}
	if id, err := job.ParseID(string(c.JobID)); err == nil {
		d.Job, d.Chunk = id, c.Chunk
	}
	d.Export, _ = job.ParseExportID(string(c.Export))
	d.Event, _ = job.ParseEventID(string(c.Detail.EventID))
	if d.Organisation = max(c.OrganisationID, c.Detail.OrganisationID); !d.Organisation.Valid() {
		d.Organisation = 0
	}
	d.Object = c.Detail.Object.Key
	return d
}

// Redrive moves a dead letter back to its queue. It may be repeated: NOT_FOUND if the message
// was deleted or is being processed.
func (s *Service) Redrive(ctx context.Context, by, queue, id string) error {
	pair, err := s.queuePair(queue)
	if err != nil {
		return err
	}
	if pair.Work == nil {
		return problem.New(problem.StateConflict, "Messages of this queue cannot be requeued. Upload the file to the drop folder again, or follow the runbook.")
	}
	return s.withMessage(ctx, pair.Dead, id, func(l Message, d DeadLetter) error {
		if err := pair.Work.SendRaw(ctx, l.Body, d.Organisation); err != nil {
			return err
		}
		return s.deleteMessage(ctx, pair.Dead, "dead letter requeued", by, queue, l, d)
	})
}

// Discard deletes a dead letter. It may be repeated, as Redrive.
func (s *Service) Discard(ctx context.Context, by, queue, id string) error {
	pair, err := s.queuePair(queue)
	if err != nil {
		return err
	}
	return s.withMessage(ctx, pair.Dead, id, func(l Message, d DeadLetter) error {
		return s.deleteMessage(ctx, pair.Dead, "dead letter discarded", by, queue, l, d)
	})
}

func (s *Service) deleteMessage(ctx context.Context, from Queue, action, by, queue string, l Message, d DeadLetter) error {
	if err := from.Delete(ctx, l); err != nil {
		return err
	}
	s.audit(ctx, action, by, "queue", queue, "message_id", l.ID, "of_organisation", d.Organisation, "job_id", d.Job)
	return nil
}

// withMessage finds a message, calls do with it, and releases all others.
func (s *Service) withMessage(ctx context.Context, from Queue, id string, do func(Message, DeadLetter) error) error {
	letters, err := from.Receive(ctx, maxDeadLetters)
	if err != nil {
		return err
	}
	err = problem.New(problem.NotFound, "Message not found: it was deleted or is being processed.")
	for _, l := range letters {
		if l.ID == id {
			err = do(l, parseDeadLetter(l, true))
			continue
		}
		if fault := from.Release(ctx, l); fault != nil {
			return fmt.Errorf("receive dead letters: %w", fault)
		}
	}
	return err
}
