package sqs_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
)

const (
	workQueue       = "work"
	deadLetterQueue = "dead"

	visibility  = 30 * time.Second
	retention   = 4 * 24 * time.Hour
	noWait      = 0
	maxMessages = 10
)

func queueConfigs() []blueprint.Queue {
	return []blueprint.Queue{
		{Name: workQueue, Visibility: visibility, Retention: retention, DeadLetter: deadLetterQueue, MaxReceive: 2},
		{Name: deadLetterQueue, Visibility: visibility, Retention: 14 * 24 * time.Hour},
	}
}

func openDB(t *testing.T, path string) *bbolt.DB {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true})
	require.NoError(t, err)
	return db
}

func setup(t *testing.T) *sqs.Service {
	t.Helper()
	db := openDB(t, filepath.Join(t.TempDir(), "db"))
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s, err := sqs.New(db, queueConfigs())
	require.NoError(t, err)
	return s
}

func send(t *testing.T, s *sqs.Service, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		_, err := s.Send(workQueue, body)
		require.NoError(t, err)
	}
}

func receive(t *testing.T, s *sqs.Service, queue string, wait time.Duration) []sqs.Message {
	t.Helper()
	messages, err := s.Receive(t.Context(), queue, maxMessages, visibility, wait)
	require.NoError(t, err)
	return messages
}

func bodies(messages []sqs.Message) []string {
	out := make([]string, len(messages))
	for i, m := range messages {
		out[i] = m.Body
	}
	return out
}

func TestMessageReturnsAfterVisibilityTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := setup(t)
		send(t, s, "a")
		first := receive(t, s, workQueue, noWait)
		require.Equal(t, []string{"a"}, bodies(first))
		require.Equal(t, "1", first[0].Attributes[sqs.ReceiveCount])
		require.Empty(t, receive(t, s, workQueue, noWait))

		begun := time.Now()
		second := receive(t, s, workQueue, time.Hour)
		require.Equal(t, visibility, time.Since(begun), "the long poll returns when the visibility timeout ends")
		require.Equal(t, first[0].MessageID, second[0].MessageID)
		require.Equal(t, "2", second[0].Attributes[sqs.ReceiveCount])
		require.Equal(t, first[0].Attributes[sqs.FirstReceived], second[0].Attributes[sqs.FirstReceived])

		require.NoError(t, s.Delete(workQueue, first[0].ReceiptHandle), "an older receipt handle is accepted")
		require.NoError(t, s.Delete(workQueue, second[0].ReceiptHandle))
		require.NoError(t, s.Delete(workQueue, second[0].ReceiptHandle), "deleting a deleted message succeeds")
		time.Sleep(2 * visibility) // fake time
		require.Empty(t, receive(t, s, workQueue, noWait))
	})
}

func TestOldReceiptDeletesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := setup(t)
		send(t, s, "a")
		first := receive(t, s, workQueue, noWait)
		second := receive(t, s, workQueue, time.Minute)
		require.NoError(t, s.Delete(workQueue, first[0].ReceiptHandle))
		require.NoError(t, s.ChangeVisibility(workQueue, second[0].ReceiptHandle, 0))
		require.Empty(t, receive(t, s, workQueue, noWait), "the third receive moves the message to the dead-letter queue")
		require.Equal(t, []string{"a"}, bodies(receive(t, s, deadLetterQueue, noWait)))
	})
}

func TestChangeVisibility(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := setup(t)
		send(t, s, "a")
		m := receive(t, s, workQueue, noWait)[0]
		require.NoError(t, s.ChangeVisibility(workQueue, m.ReceiptHandle, time.Hour))
		begun := time.Now()
		m = receive(t, s, workQueue, 2*time.Hour)[0]
		require.Equal(t, time.Hour, time.Since(begun))

		time.Sleep(visibility)
		require.ErrorContains(t, s.ChangeVisibility(workQueue, m.ReceiptHandle, time.Minute), "MessageNotInflight")
		require.ErrorContains(t, s.ChangeVisibility(workQueue, m.ReceiptHandle, 13*time.Hour), "43200")
		require.ErrorContains(t, s.ChangeVisibility(deadLetterQueue, m.ReceiptHandle, 0), "ReceiptHandleIsInvalid")
		require.ErrorContains(t, s.Delete(workQueue, "bogus"), "ReceiptHandleIsInvalid")
		require.NoError(t, s.Delete(workQueue, m.ReceiptHandle))
		require.ErrorContains(t, s.ChangeVisibility(workQueue, m.ReceiptHandle, 0), "does not exist")
	})
}

func TestLongPollReceivesNewMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := setup(t)
		go func() {
			time.Sleep(7 * time.Second)
			_, err := s.Send(workQueue, "a")
			require.NoError(t, err)
		}()
		begun := time.Now()
		require.Equal(t, []string{"a"}, bodies(receive(t, s, workQueue, 20*time.Second)))
		require.Equal(t, 7*time.Second, time.Since(begun))

		begun = time.Now()
		require.Empty(t, receive(t, s, workQueue, 5*time.Second))
		require.Equal(t, 5*time.Second, time.Since(begun))
	})
}

func TestLongPollEndsOnCancelAndClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := setup(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := s.Receive(ctx, workQueue, maxMessages, visibility, time.Minute)
		require.ErrorIs(t, err, context.DeadlineExceeded)

		go func() {
			time.Sleep(time.Second)
			require.NoError(t, s.Close())
		}()
		require.Empty(t, receive(t, s, workQueue, time.Hour))
		require.Error(t, s.Close())
	})
}

func TestDeadLetters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := setup(t)
		send(t, s, "poison")
		for range 2 {
			require.Len(t, receive(t, s, workQueue, time.Minute), 1)
		}
		sentAt := time.Now().Add(-visibility) // one visibility has passed
		require.Empty(t, receive(t, s, workQueue, time.Minute))
		got := receive(t, s, deadLetterQueue, noWait)
		require.Equal(t, []string{"poison"}, bodies(got))
		require.Equal(t, "arn:aws:sqs:us-east-1:000000000000:work", got[0].Attributes[sqs.DeadLetterSource])
		require.Equal(t, "3", got[0].Attributes[sqs.ReceiveCount], "the receive count continues")
		require.Equal(t, sentAt.UnixMilli(), toMillis(t, got[0].Attributes[sqs.SentTimestamp]))
	})
}

func TestRetention(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := setup(t)
		send(t, s, "old")
		time.Sleep(retention)
		send(t, s, "new")
		time.Sleep(time.Millisecond)
		require.Equal(t, "1", attributes(t, s, workQueue)["ApproximateNumberOfMessages"])
		require.Equal(t, []string{"new"}, bodies(receive(t, s, workQueue, noWait)))
	})
}

// Messages, receive counts and times are unchanged after the process was replaced.
func TestMessagesSurviveReopening(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "db")
		db := openDB(t, path)
		s, err := sqs.New(db, queueConfigs())
		require.NoError(t, err)
		send(t, s, "in flight", "gone")
		taken := receive(t, s, workQueue, noWait)
		require.NoError(t, s.Delete(workQueue, taken[1].ReceiptHandle))
		callOperation(t, s, "SendMessage", `{"QueueUrl":"work","MessageBody":"delayed","DelaySeconds":60}`)
		send(t, s, "ready")
		require.NoError(t, db.Close())

		time.Sleep(20 * time.Second)
		db = openDB(t, path)
		defer db.Close()
		s, err = sqs.New(db, queueConfigs())
		require.NoError(t, err)
		got := attributes(t, s, workQueue)
		require.Equal(t, "1", got["ApproximateNumberOfMessages"])
		require.Equal(t, "1", got["ApproximateNumberOfMessagesNotVisible"])
		require.Equal(t, "1", got["ApproximateNumberOfMessagesDelayed"])

		require.Equal(t, []string{"ready"}, bodies(receive(t, s, workQueue, noWait)))
		begun := time.Now()
		again := receive(t, s, workQueue, time.Minute)
		require.Equal(t, 10*time.Second, time.Since(begun), "the message is visible after the remaining 10 of 30 seconds")
		require.Equal(t, []string{"in flight"}, bodies(again))
		require.Equal(t, "2", again[0].Attributes[sqs.ReceiveCount])
		require.NoError(t, s.Delete(workQueue, again[0].ReceiptHandle))
	})
}

// A queue's delay applies to messages without their own, only to those sent after it was
// set, and it survives a restart, as messages do.
func TestQueueDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "db")
		db := openDB(t, path)
		s, err := sqs.New(db, queueConfigs())
		require.NoError(t, err)
		created := attributes(t, s, workQueue)["LastModifiedTimestamp"]
		send(t, s, "before")
		time.Sleep(2 * time.Second)
		callOperation(t, s, "SetQueueAttributes", `{"QueueUrl":"work","Attributes":{"DelaySeconds":"900"}}`)
		require.NoError(t, db.Close())
		db = openDB(t, path)
		defer db.Close()
		s, err = sqs.New(db, queueConfigs())
		require.NoError(t, err)
		got := attributes(t, s, workQueue)
		require.Equal(t, "900", got["DelaySeconds"])
		require.Equal(t, toMillis(t, created)+2, toMillis(t, got["LastModifiedTimestamp"]))

		send(t, s, "late")
		callOperation(t, s, "SendMessageBatch", `{"QueueUrl":"work","Entries":[{"Id":"a","MessageBody":"at once","DelaySeconds":0},{"Id":"b","MessageBody":"late, too"}]}`)
		require.Equal(t, []string{"before", "at once"}, bodies(receive(t, s, workQueue, noWait)))
		callOperation(t, s, "SetQueueAttributes", `{"QueueUrl":"work","Attributes":{"DelaySeconds":"0"}}`)
		require.Equal(t, "2", attributes(t, s, workQueue)["ApproximateNumberOfMessagesDelayed"], "queued messages keep their delay")
		send(t, s, "after")
		require.Equal(t, []string{"after"}, bodies(receive(t, s, workQueue, noWait)))
	})
}

func TestReceiptSurvivesRestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	db := openDB(t, path)
	s, err := sqs.New(db, queueConfigs())
	require.NoError(t, err)
	send(t, s, "a")
	m := receive(t, s, workQueue, noWait)[0]
	require.NoError(t, db.Close())
	db = openDB(t, path)
	defer db.Close()
	s, err = sqs.New(db, queueConfigs())
	require.NoError(t, err)
	require.NoError(t, s.Delete(workQueue, m.ReceiptHandle))
	require.Equal(t, "0", attributes(t, s, workQueue)["ApproximateNumberOfMessagesNotVisible"])
}

func TestNewRefusesInvalidQueues(t *testing.T) {
	t.Parallel()
	good := blueprint.Queue{Name: "a", Visibility: time.Second, Retention: time.Hour}
	with := func(change func(*blueprint.Queue)) blueprint.Queue {
		q := good
		change(&q)
		return q
	}
	for name, test := range map[string]struct {
		queues []blueprint.Queue
		want   string
	}{
		"twice":                     {[]blueprint.Queue{good, good}, "duplicate"},
		"no name":                   {[]blueprint.Queue{with(func(q *blueprint.Queue) { q.Name = "" })}, "name"},
		"no retention":              {[]blueprint.Queue{with(func(q *blueprint.Queue) { q.Retention = 0 })}, "retention"},
		"FIFO":                      {[]blueprint.Queue{with(func(q *blueprint.Queue) { q.Name = "a.fifo" })}, "FIFO"},
		"unknown dead-letter queue": {[]blueprint.Queue{with(func(q *blueprint.Queue) { q.DeadLetter, q.MaxReceive = "b", 1 })}, "exists"},
		"circle":                    {[]blueprint.Queue{with(func(q *blueprint.Queue) { q.DeadLetter, q.MaxReceive = "a", 1 })}, "return to it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openDB(t, filepath.Join(t.TempDir(), "db"))
			defer db.Close()
			_, err := sqs.New(db, test.queues)
			require.ErrorContains(t, err, test.want)
		})
	}
}
