package lambdafn

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Messages handles a batch of messages and returns those to be delivered again.
type Messages = Handler[events.SQSEvent, events.SQSEventResponse]

// Reference is the content of a message: the ids of what to process, never the
// data itself.
type Reference interface {
	// Valid reports whether the ids are well-formed.
	Valid() bool
}

// Batch handles a batch of messages and returns the errors of those to be delivered again, by their
// ids.
type Batch func(ctx context.Context, e events.SQSEvent) map[string]error

// Acknowledge handles a batch; the failed messages return when the visibility timeout of their queue
// ends.
func (b Batch) Acknowledge(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
	return failures(e, b(ctx, e)), nil
}

// failures returns the failed messages in the order of their batch.
func failures(e events.SQSEvent, failed map[string]error) (r events.SQSEventResponse) {
	for _, m := range e.Records {
		if failed[m.MessageId] != nil {
			r.BatchItemFailures = append(r.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
		}
	}
	return r
}

// ForEachMessage runs a step on the reference in every message of a queue; what names their
// content in the log. A message without valid ids can never succeed: it is logged and dropped.
func ForEachMessage[Ref Reference](log *slog.Logger, what string, run func(context.Context, Ref) error) Batch {
	return func(ctx context.Context, e events.SQSEvent) map[string]error {
		failed := make(map[string]error)
		for _, m := range e.Records {
			ctx := telemetry.Scope(ctx)
			var ref Ref
			if err := json.Unmarshal([]byte(m.Body), &ref); err != nil || !ref.Valid() {
				log.ErrorContext(ctx, "message dropped: not a valid "+what, "message_id", m.MessageId)
				continue
			}
			if err := run(ctx, ref); err != nil {
				log.ErrorContext(ctx, what+" failed", "message_id", m.MessageId, "receives", m.Attributes[receiveCount], "error", err)
				failed[m.MessageId] = err
			}
		}
		return failed
	}
}

// SourceQueue is a queue that feeds a function.
type SourceQueue interface {
	Postponer
	// HasARN reports whether the queue has that ARN.
	HasARN(arn string) bool
}

// Source is one of the queues that feed a function, with the handler of its
// messages.
type Source struct {
	Queue  SourceQueue
	Handle Batch
}

// RouteByQueue passes messages to the source with their queue, and postpones failed messages there
// for a time that depends on their errors: a receipt is valid for its own queue only. Messages of an unknown
// queue are an error, so that they are redelivered and reported.
func RouteByQueue(log *slog.Logger, sources ...Source) Messages {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		if len(e.Records) == 0 {
			return events.SQSEventResponse{}, nil
		}
		arn := e.Records[0].EventSourceARN // a batch comes from one queue
		for _, s := range sources {
			if s.Queue.HasARN(arn) {
				return withPostpone(log, s.Queue, s.Handle)(ctx, e)
			}
		}
		return events.SQSEventResponse{}, fmt.Errorf("messages of %s: queue not served by this function", arn)
	}
}
