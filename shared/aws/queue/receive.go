package queue

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/operations"
)

// Depth returns the approximate number of messages in the queue, as counted by SQS.
func (q *Queue) Depth(ctx context.Context) (d operations.Depth, err error) {
	const waiting, inFlight, delayed = types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible, types.QueueAttributeNameApproximateNumberOfMessagesDelayed
	out, err := q.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &q.url, AttributeNames: []types.QueueAttributeName{waiting, inFlight, delayed}})
	if err != nil {
		return d, fmt.Errorf("read queue depth: %w", err)
	}
	for name, to := range map[types.QueueAttributeName]*int64{waiting: &d.Waiting, inFlight: &d.InFlight, delayed: &d.Delayed} {
		if *to, err = strconv.ParseInt(out.Attributes[string(name)], 10, 64); err != nil {
			return d, fmt.Errorf("read queue depth: %s: %w", name, err)
		}
	}
	return d, nil
}

// peekVisibility is how many seconds messages are hidden from consumers while an operator
// views them.
const peekVisibility = 20

// Receive receives messages until there are most of them or no more.
func (q *Queue) Receive(ctx context.Context, most int) (found []operations.Message, err error) {
	const sent, receives = types.MessageSystemAttributeNameSentTimestamp, types.MessageSystemAttributeNameApproximateReceiveCount
	for len(found) < most {
		out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl: &q.url, MaxNumberOfMessages: int32(min(batchSize, most-len(found))), VisibilityTimeout: peekVisibility, WaitTimeSeconds: 1,
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{sent, receives},
		})
		if err != nil {
			return nil, fmt.Errorf("receive messages: %w", err)
		}
		if len(out.Messages) == 0 {
			break
		}
		for _, m := range out.Messages {
			at, _ := strconv.ParseInt(m.Attributes[string(sent)], 10, 64) // always set by SQS
			n, _ := strconv.Atoi(m.Attributes[string(receives)])
			found = append(found, operations.Message{ID: aws.ToString(m.MessageId), SentAt: time.UnixMilli(at), Receives: n, Body: aws.ToString(m.Body), Receipt: aws.ToString(m.ReceiptHandle)})
		}
	}
	return found, nil
}

// Release makes a message visible again.
func (q *Queue) Release(ctx context.Context, l operations.Message) error {
	return q.Postpone(ctx, l.Receipt, 0)
}

// Delete deletes a message.
func (q *Queue) Delete(ctx context.Context, l operations.Message) error {
	if _, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &q.url, ReceiptHandle: &l.Receipt}); err != nil {
		return fmt.Errorf("delete message %s: %w", l.ID, err)
	}
	return nil
}

// SendRaw sends a message unchanged, for an organisation or, with 0, for none.
func (q *Queue) SendRaw(ctx context.Context, body string, organisation tenant.ID) error {
	in := &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: &body}
	if organisation != 0 {
		in.MessageGroupId = messageGroup(organisation)
	}
	if _, err := q.client.SendMessage(ctx, in); err != nil {
		return fmt.Errorf("requeue message: %w", err)
	}
	return nil
}
