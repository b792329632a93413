package sqs

import (
	"context"
	"slices"
	"strconv"
	"time"
)

// Message is a received message, with the members of the wire format.
type Message struct {
	MessageID     string `json:"MessageId"`
	ReceiptHandle string
	MD5OfBody     string
	Body          string
	// Attributes are the system attributes, with numbers and times (milliseconds of Unix time)
	// in decimal.
	Attributes             map[string]string    `json:",omitempty"`
	MessageAttributes      map[string]Attribute `json:",omitempty"`
	MD5OfMessageAttributes string               `json:",omitempty"`
}

// System attributes of a message.
const (
	SenderID          = "SenderId"
	SentTimestamp     = "SentTimestamp"
	ReceiveCount      = "ApproximateReceiveCount"
	FirstReceived     = "ApproximateFirstReceiveTimestamp"
	DeadLetterSource  = "DeadLetterQueueSourceArn"
	MessageGroupID    = "MessageGroupId"
	allAttributeNames = "All"
)

// isSystemAttribute reports whether an attribute may be requested. Names that are not
// among the constants above belong to FIFO queues and tracing, and are never set.
func isSystemAttribute(name string) bool {
	return slices.Contains([]string{
		allAttributeNames, SenderID, SentTimestamp, ReceiveCount, FirstReceived, DeadLetterSource,
		MessageGroupID, "SequenceNumber", "MessageDeduplicationId", "AWSTraceHeader",
	}, name)
}

// output returns a received message with the requested attributes.
func (r receivedMessage) output(system, own []string) Message {
	m := Message{
		MessageID: r.ID, ReceiptHandle: r.receipt.handle(),
		Body: r.Body, MD5OfBody: md5Of(r.Body),
		Attributes:        make(map[string]string),
		MessageAttributes: selectAttributes(r.sentMessage.Attributes, own),
	}
	m.MD5OfMessageAttributes = attributesMD5(m.MessageAttributes)
	for name, value := range r.systemAttributes() {
		if slices.Contains(system, name) || slices.Contains(system, allAttributeNames) {
			m.Attributes[name] = value
		}
	}
	return m
}

func (r receivedMessage) systemAttributes() map[string]string {
	attributes := map[string]string{
		SenderID:      account,
		SentTimestamp: strconv.FormatInt(r.At, 10),
		ReceiveCount:  strconv.FormatUint(uint64(r.Receives), 10),
		FirstReceived: strconv.FormatInt(r.messageState.FirstReceived, 10),
	}
	if r.Group != "" {
		attributes[MessageGroupID] = r.Group
	}
	if r.Source != "" {
		attributes[DeadLetterSource] = r.Source
	}
	return attributes
}

// Receive receives up to most messages (1 to 10) from a queue, identified by name or URL,
// and hides them for visibility. If none is ready, it waits for the first one, until wait
// has passed, ctx is done or the service closes. Messages have all their attributes.
func (s *Service) Receive(ctx context.Context, queue string, most int, visibility, wait time.Duration) ([]Message, error) {
	q, err := s.findQueue(queue)
	if err != nil {
		return nil, err
	}
	if most < 1 || most > maxBatch {
		return nil, invalidValue("MaxNumberOfMessages", most, "Must be between 1 and 10, if provided")
	}
	taken, err := q.receive(ctx, s.closed, most, visibility, wait)
	if err != nil {
		return nil, err
	}
	messages := make([]Message, len(taken))
	for i, r := range taken {
		messages[i] = r.output([]string{allAttributeNames}, []string{allAttributeNames})
	}
	return messages, nil
}

// Delete removes a received message.
func (s *Service) Delete(queue, receiptHandle string) error {
	q, err := s.findQueue(queue)
	if err != nil {
		return err
	}
	r, err := q.parseReceipt(receiptHandle)
	if err != nil {
		return err
	}
	return q.remove(r)
}

// ChangeVisibility makes a received message visible again after visibility, from now.
func (s *Service) ChangeVisibility(name, receiptHandle string, visibility time.Duration) error {
	return s.withReceipt(name, receiptHandle, visibility, (*queue).changeVisibility)
}

// Hide is ChangeVisibility for an event source mapping. It changes nothing if ChangeVisibility has been
// called since the message was received.
func (s *Service) Hide(name, receiptHandle string, visibility time.Duration) error {
	return s.withReceipt(name, receiptHandle, visibility, (*queue).hide)
}

func (s *Service) withReceipt(name, receiptHandle string, visibility time.Duration, change func(*queue, receipt, time.Duration) error) error {
	q, err := s.findQueue(name)
	if err != nil {
		return err
	}
	if visibility < 0 || visibility > maxVisibility {
		return invalidValue("VisibilityTimeout", int(visibility.Seconds()), "Must be between 0 and 43200")
	}
	r, err := q.parseReceipt(receiptHandle)
	if err != nil {
		return err
	}
	return change(q, r, visibility)
}

// Send sends a message to a queue and returns its id.
func (s *Service) Send(queue, body string) (id string, err error) {
	q, err := s.findQueue(queue)
	if err != nil {
		return "", err
	}
	message, delay, err := newMessage(sendEntry{MessageBody: body}, q.defaultDelay())
	if err != nil {
		return "", err
	}
	return message.ID, q.send([]sentMessage{message}, []time.Duration{delay})
}
