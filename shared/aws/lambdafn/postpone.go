package lambdafn

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Postponer lets a message come back after a while.
type Postponer interface {
	Postpone(ctx context.Context, receipt string, delay time.Duration) error
}

// How long a message that failed stays away: the first time, and at most. Every
// further failure makes it four times as long.
const (
	minPause = 30 * time.Second
	maxPause = 15 * time.Minute
)

// WithPostpone lets messages that a handler failed on come back soon. The visibility
// of their queue is six times the function's timeout, so that one whose function
// has died comes back only when that is certain; one that has
// reported its failure need not wait so long.
func WithPostpone(log *slog.Logger, q Postponer, handle Messages) Messages {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		response, err := handle(ctx, e)
		for _, failed := range response.BatchItemFailures {
			i := slices.IndexFunc(e.Records, func(m events.SQSMessage) bool { return m.MessageId == failed.ItemIdentifier })
			if i < 0 {
				continue
			}
			if err := q.Postpone(ctx, e.Records[i].ReceiptHandle, pauseAfter(e.Records[i])); err != nil {
				log.WarnContext(ctx, "message comes back late", "message_id", failed.ItemIdentifier, "error", err)
			}
		}
		return response, err
	}
}

func pauseAfter(m events.SQSMessage) time.Duration {
	pause := minPause
	receives, _ := strconv.Atoi(m.Attributes["ApproximateReceiveCount"]) // SQS always says
	for range max(receives, 1) - 1 {
		if pause *= 4; pause >= maxPause {
			return maxPause
		}
	}
	return pause
}
