package lambdafn

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Postponer makes a message visible again after a delay.
type Postponer interface {
	Postpone(ctx context.Context, receipt string, delay time.Duration) error
}

// Delay of a failed message: the first one, and the maximum. Every further failure
// multiplies it by four.
const (
	minPause = 30 * time.Second
	maxPause = 15 * time.Minute
)

// withPostpone makes failed messages visible again soon. The visibility
// timeout of their queue is six times the function's timeout, so that a message becomes
// visible again only when its function has certainly ended; a reported failure
// need not wait so long.
func withPostpone(log *slog.Logger, q Postponer, handle Messages) Messages {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		response, err := handle(ctx, e)
		for _, failed := range response.BatchItemFailures {
			i := slices.IndexFunc(e.Records, func(m events.SQSMessage) bool { return m.MessageId == failed.ItemIdentifier })
			if i < 0 {
				continue
			}
			if err := q.Postpone(ctx, e.Records[i].ReceiptHandle, pauseAfter(e.Records[i])); err != nil {
				log.WarnContext(ctx, "postpone message failed; it returns late",
					"message_id", failed.ItemIdentifier, "error", err)
			}
		}
		return response, err
	}
}

func pauseAfter(m events.SQSMessage) time.Duration {
	pause := minPause
	receives, _ := strconv.Atoi(m.Attributes["ApproximateReceiveCount"]) // always set by SQS
	for range max(receives, 1) - 1 {
		if pause *= 4; pause >= maxPause {
			return maxPause
		}
	}
	return pause
}
