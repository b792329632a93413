package sqssource_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
	"github.com/loadbay/loadbay/infra/local/lambdahost/sqssource"
)

// fakeQueue delivers batches and records what happens to their messages.
type fakeQueue struct {
	batches chan []sqs.Message

	mu            sync.Mutex
	outcomes      []string
	receiveErrors int // number of receives that fail
}

func newQueue(batches ...[]sqs.Message) *fakeQueue {
	q := &fakeQueue{batches: make(chan []sqs.Message, 100)}
	for _, b := range batches {
		q.batches <- b
	}
	return q
}

func (q *fakeQueue) Receive(ctx context.Context, name string, most int, visibility, wait time.Duration) ([]sqs.Message, error) {
	q.mu.Lock()
	failing := q.receiveErrors > 0
	q.receiveErrors--
	q.mu.Unlock()
	if failing {
		return nil, errors.New("no database")
	}
	if name != "rows" || most != 10 || visibility != 30*time.Second || wait != 20*time.Second {
		return nil, fmt.Errorf("received from %s at most %d for %s within %s", name, most, visibility, wait)
	}
	select {
	case b := <-q.batches:
		return b, nil
	case <-time.After(wait):
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (q *fakeQueue) record(text string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.outcomes = append(q.outcomes, text)
	return nil
}

func (q *fakeQueue) Delete(_, receipt string) error { return q.record("delete " + receipt) }

func (q *fakeQueue) Hide(_, receipt string, visibility time.Duration) error {
	return q.record(fmt.Sprintf("hide %s for %s", receipt, visibility))
}

type invokerFunc func(ctx context.Context, function string, payload []byte) ([]byte, string, error)

func (f invokerFunc) InvokeWhenFree(ctx context.Context, function string, payload []byte) ([]byte, string, error) {
	return f(ctx, function, payload)
}

func message(id, receives string) sqs.Message {
	return sqs.Message{MessageID: id, ReceiptHandle: "r-" + id, Body: "{}", Attributes: map[string]string{sqs.ReceiveCount: receives}}
}

// runMapping runs a mapping for a period of fake time.
func runMapping(t *testing.T, q *fakeQueue, f invokerFunc, duration time.Duration, concurrency int) {
	t.Helper()
	m, err := sqssource.New(sqssource.Config{
		Queue: "rows", Function: "process", BatchSize: 10, Concurrency: concurrency, Queues: q, Invoker: f,
		Logger: slog.New(slog.DiscardHandler), Lease: 30 * time.Second,
	})
	require.NoError(t, err)
	ctx, stop := context.WithTimeout(t.Context(), duration)
	defer stop()
	m.Run(ctx)
}

func TestBatchOutcomes(t *testing.T) {
	t.Parallel()
	all := []string{"hide r-a for 1s", "hide r-b for 4s"}
	for name, c := range map[string]struct {
		output, functionError string
		err                   error
		want                  []string
	}{
		"handled":                       {output: `{"batchItemFailures":[]}`, want: []string{"delete r-a", "delete r-b"}},
		"empty response":                {output: ``, want: []string{"delete r-a", "delete r-b"}},
		"null":                          {output: `null`, want: []string{"delete r-a", "delete r-b"}},
		"list is null":                  {output: `{"batchItemFailures":null}`, want: []string{"delete r-a", "delete r-b"}},
		"response without the list":     {output: `{}`, want: []string{"delete r-a", "delete r-b"}},
		"one message failed":            {output: `{"batchItemFailures":[{"itemIdentifier":"b"}]}`, want: []string{"delete r-a", "hide r-b for 4s"}},
		"both messages failed":          {output: `{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"a"}]}`, want: all},
		"function error":                {output: `{"errorMessage":"x"}`, functionError: "Unhandled", want: all},
		"invocation failed":             {err: errors.New("stopping"), want: all},
		"response is not JSON":          {output: `oops`, want: all},
		"text":                          {output: `"ok"`, want: all},
		"unknown id":                    {output: `{"batchItemFailures":[{"itemIdentifier":"c"}]}`, want: all},
		"empty id":                      {output: `{"batchItemFailures":[{"itemIdentifier":""}]}`, want: all},
		"null id":                       {output: `{"batchItemFailures":[{"itemIdentifier":null}]}`, want: all},
		"misspelt member":               {output: `{"batchItemFailures":[{"id":"a"}]}`, want: all},
		"not a list":                    {output: `{"batchItemFailures":"a"}`, want: all},
		"list of strings":               {output: `{"batchItemFailures":["a"]}`, want: all},
		"id is a number":                {output: `{"batchItemFailures":[{"itemIdentifier":1}]}`, want: all},
		"empty list and function error": {output: `{"batchItemFailures":[]}`, functionError: "Unhandled", want: all},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := newQueue([]sqs.Message{message("a", "1"), message("b", "3")})
				runMapping(t, q, func(context.Context, string, []byte) ([]byte, string, error) {
					return []byte(c.output), c.functionError, c.err
				}, time.Second, 1)
				require.Equal(t, c.want, q.outcomes)
			})
		})
	}
}

func TestEventShape(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		text := "v"
		m := message("a", "2")
		m.MD5OfBody = "99914b932bd37a50b983c5e7c90ae93b"
		m.MessageAttributes = map[string]sqs.Attribute{"trace": {DataType: "String", StringValue: &text}}
		q := newQueue([]sqs.Message{m})
		runMapping(t, q, func(_ context.Context, function string, payload []byte) ([]byte, string, error) {
			require.Equal(t, "process", function)
			require.JSONEq(t, `{"Records":[{
				"messageId":"a","receiptHandle":"r-a","body":"{}","md5OfBody":"99914b932bd37a50b983c5e7c90ae93b","md5OfMessageAttributes":"",
				"attributes":{"ApproximateReceiveCount":"2"},
				"messageAttributes":{"trace":{"stringValue":"v","dataType":"String","stringListValues":[],"binaryListValues":[]}},
				"eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:us-east-1:000000000000:rows","awsRegion":"us-east-1"}]}`, string(payload))
			return nil, "", nil
		}, time.Second, 1)
		require.Equal(t, []string{"delete r-a"}, q.outcomes)
	})
}

func TestLeaseIsExtendedDuringInvocation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue([]sqs.Message{message("a", "1")})
		runMapping(t, q, func(context.Context, string, []byte) ([]byte, string, error) {
			time.Sleep(25 * time.Second)
			return nil, "", nil
		}, time.Second, 1) // stopped after one second: the invocation still finishes
		require.Equal(t, []string{"hide r-a for 30s", "hide r-a for 30s", "delete r-a"}, q.outcomes)
	})
}

func TestConcurrencyIsLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for i := range 6 {
			q.batches <- []sqs.Message{message(fmt.Sprint(i), "1")}
		}
		var mu sync.Mutex
		now, most := 0, 0
		begin := time.Now()
		var last time.Duration
		runMapping(t, q, func(context.Context, string, []byte) ([]byte, string, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			now--
			last = time.Since(begin)
			return nil, "", nil
		}, time.Minute, 2)
		require.Equal(t, 2, most)
		require.Equal(t, 3*time.Second, last)
		require.Len(t, q.outcomes, 6)
	})
}

func TestReceiveErrorIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue([]sqs.Message{message("a", "1")})
		q.receiveErrors = 3
		begin := time.Now()
		runMapping(t, q, func(_ context.Context, _ string, payload []byte) ([]byte, string, error) {
			require.True(t, json.Valid(payload))
			require.Equal(t, 3*time.Second, time.Since(begin), "a pause after each failure")
			return nil, "", nil
		}, time.Minute, 1)
		require.Equal(t, []string{"delete r-a"}, q.outcomes)
	})
}

func TestNewRefusesIncompleteConfig(t *testing.T) {
	t.Parallel()
	_, err := sqssource.New(sqssource.Config{Queue: "rows"})
	require.Error(t, err)
	_, err = sqssource.New(sqssource.Config{
		Queue: "rows", Function: "process", BatchSize: 11, Concurrency: 1, Queues: newQueue(), Invoker: invokerFunc(nil), Logger: slog.Default(),
	})
	require.ErrorContains(t, err, "batch size")
}
