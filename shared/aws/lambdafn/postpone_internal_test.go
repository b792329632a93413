package lambdafn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/jackc/pgx/v5/pgconn"
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

func failingOn(ids ...string) Batch {
	return failingWith(errors.New("a bug"), ids...)
}

func failingWith(err error, ids ...string) Batch {
	return func(context.Context, events.SQSEvent) map[string]error {
		failed := make(map[string]error)
		for _, id := range ids {
			failed[id] = err
		}
		return failed
	}
}

func sqsMessage(id, count string) events.SQSMessage {
	return events.SQSMessage{MessageId: id, ReceiptHandle: "receipt of " + id, Attributes: map[string]string{"ApproximateReceiveCount": count}}
}

// Five receives take more than ten minutes while the database or a service is away, and less than one
// with any other error.
func TestPauseDependsOnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		pauses map[string]time.Duration // by number of receives
	}{
		"database is starting": {&pgconn.PgError{Code: "57P03"}, map[string]time.Duration{
			"1": 2 * time.Second, "2": 30 * time.Second, "3": 3 * time.Minute, "4": 10 * time.Minute, "5": 15 * time.Second, "": 2 * time.Second,
		}},
		"a bug": {errors.New("index out of range"), map[string]time.Duration{
			"1": time.Second, "2": 2 * time.Second, "3": 4 * time.Second, "4": 8 * time.Second, "5": 15 * time.Second, "9": 15 * time.Second, "": time.Second,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &pauseRecorder{byReceipt: map[string]time.Duration{}}
			e := events.SQSEvent{Records: []events.SQSMessage{sqsMessage("done", "1")}}
			want := make(map[string]time.Duration)
			var ids []string
			for receives, pause := range c.pauses {
				id := "received " + receives
				ids = append(ids, id)
				e.Records = append(e.Records, sqsMessage(id, receives))
				want["receipt of "+id] = pause
			}
			response, err := withPostpone(slog.New(slog.DiscardHandler), p, failingWith(fmt.Errorf("step: %w", c.err), ids...))(t.Context(), e)
			require.NoError(t, err)
			require.Len(t, response.BatchItemFailures, len(ids))
			require.Equal(t, want, p.byReceipt)
		})
	}
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
