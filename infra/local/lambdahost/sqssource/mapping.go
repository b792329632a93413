// Package sqssource is Lambda's event source mapping for SQS: it polls a
// queue, invokes a function with the received messages and deletes the messages that
// the function has processed, with ReportBatchItemFailures.
//
// It differs from AWS in one respect. There, a message whose invocation failed or was
// lost becomes visible again when the queue's visibility timeout ends, after minutes.
// Here, messages have a short lease that is extended while the invocation runs, and
// become visible soon after a failure: a developer does not wait twelve minutes for a
// retry, and a killed stack continues within seconds. As there, a message becomes visible
// when its function has decided, if it has changed the visibility.
//
// Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
package sqssource

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
)

// Queues are the source of messages.
type Queues interface {
	// Receive waits up to wait for messages, returns up to most of them and hides them for
	// visibility.
	Receive(ctx context.Context, queue string, most int, visibility, wait time.Duration) ([]sqs.Message, error)
	Delete(queue, receiptHandle string) error
	// Hide makes a message visible again after visibility, from now, unless its function has changed
	// the visibility since the message was received.
	Hide(queue, receiptHandle string, visibility time.Duration) error
}

// Invoker runs functions, and waits when all instances of one are busy.
type Invoker interface {
	InvokeWhenFree(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error)
}

// Config configures which queue feeds which function.
type Config struct {
	Queue, Function string
	BatchSize       int
	// Concurrency is the maximum number of concurrent invocations.
	Concurrency int
	Queues      Queues
	Invoker     Invoker
	Logger      *slog.Logger
	// Lease hides messages while their invocation runs; it is extended as needed. 0 is 6 s.
	Lease time.Duration
	// RetryDelay is how long a message stays hidden after its first failure; each
	// further failure doubles it, up to a minute. 0 is one second.
	RetryDelay time.Duration
}

const (
	longPoll   = 20 * time.Second // maximum of SQS
	errorDelay = time.Second      // when the queue cannot be read
	maxRetry   = time.Minute
)

// Mapping feeds a function with messages from a queue.
type Mapping struct{ Config }

// New validates the configuration.
func New(c Config) (*Mapping, error) {
	if c.Queue == "" || c.Function == "" || c.Queues == nil || c.Invoker == nil || c.Logger == nil {
		return nil, errors.New("event source mapping: Queue, Function, Queues, Invoker and Logger are needed")
	}
	if c.BatchSize < 1 || c.BatchSize > 10 || c.Concurrency < 1 {
		return nil, errors.New("event source mapping: the batch size is 1 to 10, the concurrency above 0")
	}
	if c.Lease == 0 {
		c.Lease = 6 * time.Second
	}
	if c.RetryDelay == 0 {
		c.RetryDelay = time.Second
	}
	c.Logger = c.Logger.With("queue", c.Queue, "function", c.Function)
	return &Mapping{c}, nil
}

// Run polls until ctx is done. It waits for running invocations.
func (m *Mapping) Run(ctx context.Context) {
	var pollers sync.WaitGroup
	for range m.Concurrency {
		pollers.Go(func() { m.poll(ctx) })
	}
	pollers.Wait()
}

func (m *Mapping) poll(ctx context.Context) {
	for ctx.Err() == nil {
		batch, err := m.Queues.Receive(ctx, m.Queue, m.BatchSize, m.Lease, longPoll)
		if err != nil && ctx.Err() == nil {
			m.Logger.Error("could not receive messages", "error", err)
			sleep(ctx, errorDelay)
		}
		if len(batch) > 0 {
			m.handleBatch(context.WithoutCancel(ctx), batch)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// handleBatch invokes the function with the messages, deletes the processed ones and makes
// the others visible again after a delay.
func (m *Mapping) handleBatch(ctx context.Context, batch []sqs.Message) {
	release := m.extendLease(batch)
	failed := m.invoke(ctx, batch)
	release()
	for _, message := range batch {
		var err error
		if failed(message.MessageID) {
			err = m.Queues.Hide(m.Queue, message.ReceiptHandle, m.retryDelay(message))
		} else {
			err = m.Queues.Delete(m.Queue, message.ReceiptHandle)
		}
		if err != nil { // it is delivered again, which the function must expect
			m.Logger.Warn("could not delete or release a message", "message", message.MessageID, "error", err)
		}
	}
}

// invoke runs the function and returns which messages failed.
func (m *Mapping) invoke(ctx context.Context, batch []sqs.Message) (failed func(id string) bool) {
	event, err := newEvent(m.Queue, batch)
	if err != nil {
		m.Logger.Error("could not write an event", "error", err)
		return allFailed
	}
	output, functionError, err := m.Invoker.InvokeWhenFree(ctx, m.Function, event)
	switch {
	case err != nil:
		m.Logger.Warn("invocation failed; messages return to the queue", "error", err)
		return allFailed
	case functionError != "":
		m.Logger.Warn("function failed; messages return to the queue", "messages", len(batch))
		return allFailed
	}
	failed, err = readFailures(output, batch)
	if err != nil {
		m.Logger.Error("invalid function response; messages return to the queue", "error", err)
	}
	return failed
}

// extendLease extends the messages' lease until release is called.
func (m *Mapping) extendLease(batch []sqs.Message) (release func()) {
	ctx, stop := context.WithCancel(context.Background())
	var holder sync.WaitGroup
	holder.Go(func() {
		tick := time.NewTicker(m.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			for _, message := range batch {
				if err := m.Queues.Hide(m.Queue, message.ReceiptHandle, m.Lease); err != nil {
					m.Logger.Warn("could not extend message visibility", "message", message.MessageID, "error", err)
				}
			}
		}
	})
	return func() { stop(); holder.Wait() }
}

// retryDelay doubles with every receive.
func (m *Mapping) retryDelay(message sqs.Message) time.Duration {
	receives, err := strconv.Atoi(message.Attributes[sqs.ReceiveCount])
	if err != nil || receives < 1 {
		receives = 1
	}
	return min(m.RetryDelay<<min(receives-1, 10), maxRetry)
}
