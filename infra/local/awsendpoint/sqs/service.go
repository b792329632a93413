// Package sqs is the SQS of the local stack: standard queues with visibility
// timeouts, delays, long polling, batches, retention and dead-letter queues, in
// the JSON protocol and as Go methods for the event source mappings.
//
// Messages are stored in a bbolt database; memory holds an index of them (which are
// ready, which are hidden until when), which is rebuilt at the start. Every change
// is in the database before the response is sent, and times are wall-clock times,
// so that a killed stack continues where it stopped: messages in flight become
// visible again when their visibility timeout ends. Delivery is at least once.
// Messages are received oldest first, which real queues do not guarantee.
//
// The blueprint defines the queues. FIFO queues, creating and deleting queues, changing
// any attribute except the delay, tags, permissions and moves out of dead-letter queues
// are rejected.
//
// Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/
package sqs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// Location of the queues in their ARNs and URLs.
const (
	account         = "000000000000"
	arnPrefix       = "arn:aws:sqs:us-east-1:" + account + ":"
	defaultEndpoint = "http://127.0.0.1:4566"
)

// Service holds all queues.
type Service struct {
	endpoint   string
	queues     map[string]*queue
	names      []string // sorted
	operations map[string]operation
	closed     chan struct{}
}

// operation runs one operation of the wire protocol.
type operation func(ctx context.Context, input []byte) (any, error)

// Option configures New.
type Option func(*Service)

// WithEndpoint sets the address used in queue URLs, for example "http://127.0.0.1:4566".
// Requests are matched by a URL's last element only, so that URLs issued before a
// restart on another port stay valid.
func WithEndpoint(url string) Option {
	return func(s *Service) { s.endpoint = strings.TrimSuffix(url, "/") }
}

// New opens the queues with the messages that remain from an earlier run.
func New(db *bbolt.DB, queues []blueprint.Queue, options ...Option) (*Service, error) {
	s := &Service{endpoint: defaultEndpoint, queues: make(map[string]*queue, len(queues)), closed: make(chan struct{})}
	for _, option := range options {
		option(s)
	}
	for _, config := range queues {
		if err := s.open(db, config); err != nil {
			return nil, fmt.Errorf("local SQS: %w", err)
		}
	}
	for _, config := range queues {
		if err := s.linkDeadLetterQueue(config); err != nil {
			return nil, fmt.Errorf("local SQS: %w", err)
		}
	}
	s.operations = s.registerOperations()
	return s, nil
}

func (s *Service) open(db *bbolt.DB, config blueprint.Queue) error {
	if config.Name == "" || config.Visibility < 0 || config.Visibility > maxVisibility || config.Retention <= 0 {
		return fmt.Errorf("queue %q: want a name, a visibility up to 12 hours and a retention", config.Name)
	}
	if strings.HasSuffix(config.Name, ".fifo") {
		return fmt.Errorf("queue %q: FIFO queues are not implemented", config.Name)
	}
	if s.queues[config.Name] != nil {
		return fmt.Errorf("queue %q: duplicate", config.Name)
	}
	q, err := openQueue(db, config)
	if err != nil {
		return fmt.Errorf("open queue %q: %w", config.Name, err)
	}
	s.queues[config.Name] = q
	s.names = append(s.names, config.Name)
	slices.Sort(s.names)
	return nil
}

// linkDeadLetterQueue connects a queue to its dead-letter queue. Locks are acquired from a
// queue to its dead-letter queue, so cycles are not allowed.
func (s *Service) linkDeadLetterQueue(config blueprint.Queue) error {
	if config.DeadLetter == "" {
		return nil
	}
	q, dead := s.queues[config.Name], s.queues[config.DeadLetter]
	if dead == nil || config.MaxReceive < 1 {
		return fmt.Errorf("queue %q: want dead letters in a queue that exists, after one receive or more", config.Name)
	}
	for next := dead; next != nil; next = next.deadLetters {
		if next == q {
			return fmt.Errorf("queue %q: its dead letters return to it", config.Name)
		}
	}
	q.deadLetters = dead
	return nil
}

// Target is the service's name on the wire.
func (s *Service) Target() string { return "AmazonSQS" }

// Call runs one operation of the wire protocol.
func (s *Service) Call(ctx context.Context, name string, input []byte) (any, error) {
	run, ok := s.operations[name]
	if !ok {
		return nil, unsupported(name)
	}
	return run(ctx, input)
}

// Close ends waiting receives. Messages stay in their queues.
func (s *Service) Close() error {
	select {
	case <-s.closed:
		return errors.New("local SQS: closed twice")
	default:
		close(s.closed)
		return nil
	}
}

// URL returns the address of a queue.
func (s *Service) URL(queue string) string { return s.endpoint + "/" + account + "/" + queue }

// ARN returns the ARN of a queue.
func ARN(queue string) string { return arnPrefix + queue }

// findQueue returns the queue with a name or URL.
func (s *Service) findQueue(nameOrURL string) (*queue, error) {
	if nameOrURL == "" {
		return nil, missingParameter("QueueUrl")
	}
	q, ok := s.queues[nameOrURL[strings.LastIndexByte(nameOrURL, '/')+1:]]
	if !ok {
		return nil, queueNotFound()
	}
	return q, nil
}

// newOperation returns an operation that calls run with the decoded input.
func newOperation[In, Out any](run func(context.Context, In) (Out, error)) operation {
	return func(ctx context.Context, input []byte) (any, error) {
		var in In
		if err := awsjson.DecodeStrict(serviceName, input, &in); err != nil {
			return nil, err
		}
		return run(ctx, in)
	}
}

func (s *Service) registerOperations() map[string]operation {
	return map[string]operation{
		"SendMessage":                  newOperation(s.sendMessage),
		"SendMessageBatch":             newOperation(s.sendMessageBatch),
		"ReceiveMessage":               newOperation(s.receiveMessage),
		"DeleteMessage":                newOperation(s.deleteMessage),
		"DeleteMessageBatch":           newOperation(s.deleteMessageBatch),
		"ChangeMessageVisibility":      newOperation(s.changeMessageVisibility),
		"ChangeMessageVisibilityBatch": newOperation(s.changeMessageVisibilityBatch),
		"GetQueueAttributes":           newOperation(s.getQueueAttributes),
		"GetQueueUrl":                  newOperation(s.getQueueURL),
		"ListQueues":                   newOperation(s.listQueues),
		"SetQueueAttributes":           newOperation(s.setQueueAttributes),
		"PurgeQueue":                   newOperation(s.purgeQueue),
	}
}
