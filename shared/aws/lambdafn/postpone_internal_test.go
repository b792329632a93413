package lambdafn

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"
)

// pauseRecorder records postponed messages by receipt.
type pauseRecorder struct {
	byReceipt map[string]time.Duration
	fail      error
}

func (p *pauseRecorder) Postpone(_ context.Context, receipt string, by time.Duration) error {
	p.byReceipt[receipt] = by
	return p.fail
}

func failingOn(ids ...string) Handler[events.SQSEvent, events.SQSEventResponse] {
	return func(context.Context, events.SQSEvent) (events.SQSEventResponse, error) {
		var r events.SQSEventResponse
		for _, id := range ids {
			r.BatchItemFailures = append(r.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: id})
		}
		return r, nil
	}
}

func sqsMessage(id, count string) events.SQSMessage {
	return events.SQSMessage{MessageId: id, ReceiptHandle: "receipt of " + id, Attributes: map[string]string{"ApproximateReceiveCount": count}}
}

func TestFailedMessageIsPostponedWithBackoff(t *testing.T) {
	t.Parallel()
	p := &pauseRecorder{byReceipt: map[string]time.Duration{}}
	e := events.SQSEvent{Records: []events.SQSMessage{sqsMessage("done", "1"), sqsMessage("first", "1"), sqsMessage("second", "2"), sqsMessage("third", "3"), sqsMessage("ninth", "9"), sqsMessage("odd", "")}}
	response, err := withPostpone(slog.New(slog.DiscardHandler), p, failingOn("first", "second", "third", "ninth", "odd", "unknown"))(t.Context(), e)
	require.NoError(t, err)
	require.Len(t, response.BatchItemFailures, 6, "the handler's failures are returned")
	require.Equal(t, map[string]time.Duration{
		"receipt of first": 30 * time.Second, "receipt of second": 2 * time.Minute, "receipt of third": 8 * time.Minute,
		"receipt of ninth": 15 * time.Minute, "receipt of odd": 30 * time.Second,
	}, p.byReceipt)
}

func TestPostponeFailureStillFailsMessage(t *testing.T) {
	t.Parallel()
	p := &pauseRecorder{byReceipt: map[string]time.Duration{}, fail: errors.New("slow down")}
	response, err := withPostpone(slog.New(slog.DiscardHandler), p, failingOn("first"))(t.Context(), events.SQSEvent{Records: []events.SQSMessage{sqsMessage("first", "1")}})
	require.NoError(t, err)
	require.Len(t, response.BatchItemFailures, 1)
}

// fakeQueue is a queue identified by its ARN.
type fakeQueue struct {
	pauseRecorder
	arn string
}

func (s *fakeQueue) HasARN(arn string) bool { return arn == s.arn }

// A receipt is valid only in the queue that issued it: dead letters are not postponed in
// their original queue.
func TestMessagesArePostponedInTheirQueue(t *testing.T) {
	t.Parallel()
	live := &fakeQueue{pauseRecorder{byReceipt: map[string]time.Duration{}}, "arn:aws:sqs:r:1:work-dev"}
	dead := &fakeQueue{pauseRecorder{byReceipt: map[string]time.Duration{}}, "arn:aws:sqs:r:1:work-dlq-dev"}
	handle := RouteByQueue(slog.New(slog.DiscardHandler), Source{live, failingOn("a")}, Source{dead, failingOn("b")})
	from := func(arn, id string) events.SQSEvent {
		m := sqsMessage(id, "1")
		m.EventSourceARN = arn
		return events.SQSEvent{Records: []events.SQSMessage{m}}
	}
	for _, c := range []struct {
		from        *fakeQueue
		id          string
		live, death int
	}{{dead, "b", 0, 1}, {live, "a", 1, 1}} {
		response, err := handle(t.Context(), from(c.from.arn, c.id))
		require.NoError(t, err)
		require.Len(t, response.BatchItemFailures, 1)
		require.Len(t, live.byReceipt, c.live)
		require.Len(t, dead.byReceipt, c.death)
	}
	_, err := handle(t.Context(), from("arn:aws:sqs:r:1:work-dlq", "b"))
	require.ErrorContains(t, err, "not served by this function", "a queue without a stage in its name is not served")
	require.Len(t, dead.byReceipt, 1)
}
