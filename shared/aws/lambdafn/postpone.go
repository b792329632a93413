package lambdafn

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Postponer makes a message visible again after a delay.
type Postponer interface {
	Postpone(ctx context.Context, receipt string, delay time.Duration) error
}

// receiveCount is the attribute with the number of receives of a message, which SQS always sets.
const receiveCount = "ApproximateReceiveCount"

// outagePauses are the pauses after each failure because of an outage: five receives take more than
// ten minutes. Other errors are retried a few times within a minute, in case they pass, too.
var outagePauses = []time.Duration{2 * time.Second, 30 * time.Second, 3 * time.Minute, 10 * time.Minute}

const (
	minPause = time.Second // doubled by each further failure
	maxPause = 15 * time.Second
)

// withPostpone makes failed messages visible again soon. The visibility
// timeout of their queue is six times the function's timeout, so that a message becomes
// visible again only when its function has certainly ended; a reported failure
// need not wait so long.
func withPostpone(log *slog.Logger, q Postponer, handle Batch) Messages {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		failed := handle(ctx, e)
		for _, m := range e.Records {
			cause := failed[m.MessageId]
			if cause == nil {
				continue
			}
			receives, _ := strconv.Atoi(m.Attributes[receiveCount])
			if err := q.Postpone(ctx, m.ReceiptHandle, pauseAfter(max(receives, 1), cause)); err != nil {
				log.WarnContext(ctx, "postpone message failed; it returns late",
					"message_id", m.MessageId, "error", err)
			}
		}
		return failures(e, failed), nil
	}
}

// pauseAfter returns the pause after a number of receives. After the last one, the queue moves the
// message to its dead letters when the pause is over.
func pauseAfter(receives int, cause error) time.Duration {
	if isTemporary(cause) && receives <= len(outagePauses) {
		return outagePauses[receives-1]
	}
	pause := minPause
	for range receives - 1 {
		if pause *= 2; pause >= maxPause {
			return maxPause
		}
	}
	return pause
}
