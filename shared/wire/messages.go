package wire

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/telemetry"
)

// eachMessage runs a step on what every message of a queue points to, and names
// the messages that are to be delivered again; what is the word for it in the
// log. A message that points to nothing would never do: it is logged and done with.
func eachMessage[Ref any](log *slog.Logger, what string, valid func(Ref) bool, run func(context.Context, Ref) error) Handler[events.SQSEvent, events.SQSEventResponse] {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		var response events.SQSEventResponse
		for _, m := range e.Records {
			ctx := telemetry.Scope(ctx)
			var ref Ref
			if err := json.Unmarshal([]byte(m.Body), &ref); err != nil || !valid(ref) {
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
