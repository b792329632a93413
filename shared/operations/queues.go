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

// Depth is how many messages a queue has, about.
type Depth struct{ Waiting, InFlight, Delayed int64 }

// Message is a message of a queue. Its body and receipt stay inside the service.
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
	Exports  = "exports"  // exports to be written
	Fetches  = "fetches"  // files to be fetched
	Webhooks = "webhooks" // events to be told
	Events   = "events"   // files that have arrived
)

// QueueState is a queue with its dead letters.
type QueueState struct {
	Name     string
	Work     *Depth // nil for what comes without a queue
	Dead     Depth
	OldestAt *time.Time // when what has waited longest came, as the database knows it
}

// QueueStates says how full the queues are.
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
	return QueuePair{}, problem.New(problem.NotFound, "There is no queue with this name.")
}

// maxDeadLetters is how many dead letters are shown, and looked through for one of them: a queue
// shows its messages in no order, ten at a time.
const maxDeadLetters = 50

// DeadLetter is a message that nobody could handle, with the ids that it carries; what it
// does not have is "" or 0.
type DeadLetter struct {
	ID           string
	SentAt       time.Time
	Receives     int
	Organisation tenant.ID
	Job          job.ID
	Chunk        *int
	Export       job.ExportID
	Event        job.EventID
	Object       string // the key of a file in the bucket
	Redrivable   bool   // whether it can be brought again
}

// DeadLetters shows those of a queue: all, where they are few.
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

// messageIDs is what is read of a message: ids of Loadbay's own, of an event of the bus, or of
// the bucket, as it was delivered or as an invocation failed at it.
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

// parseDeadLetter takes the ids out of a message. What is not as Loadbay writes it is not shown.
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

// Redrive puts a dead letter back into its queue, and Discard deletes it. Either may be
// repeated: NOT_FOUND says that it is gone, or that its function is at it.
func (s *Service) Redrive(ctx context.Context, by, queue, id string) error {
	pair, err := s.queuePair(queue)
	if err != nil {
		return err
	}
	if pair.Work == nil {
		return problem.New(problem.StateConflict, "Messages of this queue are not brought again: put the file into the drop folder once more, or start it as the runbook says.")
	}
	return s.withMessage(ctx, pair.Dead, id, func(l Message, d DeadLetter) error {
		if err := pair.Work.SendRaw(ctx, l.Body, d.Organisation); err != nil {
			return err
		}
		return s.deleteMessage(ctx, pair.Dead, "dead letter brought again", by, queue, l, d)
	})
}

// Discard deletes a dead letter.
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

// withMessage finds a letter, does something with it, and lets go of all others.
func (s *Service) withMessage(ctx context.Context, from Queue, id string, do func(Message, DeadLetter) error) error {
	letters, err := from.Receive(ctx, maxDeadLetters)
	if err != nil {
		return err
	}
	err = problem.New(problem.NotFound, "There is no such message: it is gone, or its function is at it.")
	for _, l := range letters {
		if l.ID == id {
			err = do(l, parseDeadLetter(l, true))
			continue
		}
		if fault := from.Release(ctx, l); fault != nil {
			return fmt.Errorf("look through dead letters: %w", fault)
		}
	}
	return err
}
