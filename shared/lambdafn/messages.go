package lambdafn

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/telemetry"
)

// Messages answers a batch of messages with those that are to be delivered again.
type Messages = Handler[events.SQSEvent, events.SQSEventResponse]

// Reference is what a message holds: ids of what there is to do, never the
// thing itself.
type Reference interface {
	// Valid reports whether it points to something.
	Valid() bool
}

// EachMessage runs a step on what every message of a queue points to, and names
// the messages that are to be delivered again; what is the word for it in the
// log. A message that points to nothing would never do: it is logged and done with.
func EachMessage[Ref Reference](log *slog.Logger, what string, run func(context.Context, Ref) error) Messages {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		var response events.SQSEventResponse
		for _, m := range e.Records {
			ctx := telemetry.Scope(ctx)
			var ref Ref
			if err := json.Unmarshal([]byte(m.Body), &ref); err != nil || !ref.Valid() {
				log.ErrorContext(ctx, "message dropped: it is no "+what, "message_id", m.MessageId)
				continue
			}
			if err := run(ctx, ref); err != nil {
				log.ErrorContext(ctx, what+" failed", "message_id", m.MessageId, "receives", m.Attributes["ApproximateReceiveCount"], "error", err)
				response.BatchItemFailures = append(response.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
			}
		}
		return response, nil
	}
}

// ByQueue hands the messages of the dead-letter queue of that name to one
// handler, and all others to another: a function may serve both queues.
func ByQueue(deadLetters string, dead, live Messages) Messages {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		if len(e.Records) > 0 && strings.HasSuffix(e.Records[0].EventSourceARN, ":"+deadLetters) {
			return dead(ctx, e)
		}
		return live(ctx, e)
	}
}
