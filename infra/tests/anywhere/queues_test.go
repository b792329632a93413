package anywhere

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	local "github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
)

// remoteQueues are the queues of an endpoint, by the blueprint's names.
type remoteQueues struct {
	client *sqs.Client
	urls   map[string]string
}

// Receive waits for messages.
func (q remoteQueues) Receive(ctx context.Context, queue string, most int, visibility, wait time.Duration) ([]local.Message, error) {
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(q.urls[queue]), MaxNumberOfMessages: int32(most),
		VisibilityTimeout: int32(visibility.Seconds()), WaitTimeSeconds: int32(min(wait, shortPoll).Seconds()),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil {
		return nil, err
	}
	messages := make([]local.Message, len(out.Messages))
	for i, m := range out.Messages {
		messages[i] = local.Message{
			MessageID: *m.MessageId, ReceiptHandle: *m.ReceiptHandle, Body: *m.Body, MD5OfBody: *m.MD5OfBody, Attributes: m.Attributes,
		}
	}
	return messages, nil
}

// shortPoll limits how long polling occupies the few connections of a small server.
const shortPoll = time.Second

// Delete deletes a message.
func (q remoteQueues) Delete(queue, receipt string) error {
	_, err := q.client.DeleteMessage(context.Background(), &sqs.DeleteMessageInput{QueueUrl: aws.String(q.urls[queue]), ReceiptHandle: &receipt})
	return err
}

// Hide extends the time for which a message is hidden. This server does not tell whether a function has
// changed it.
func (q remoteQueues) Hide(queue, receipt string, visibility time.Duration) error {
	_, err := q.client.ChangeMessageVisibility(context.Background(), &sqs.ChangeMessageVisibilityInput{
		QueueUrl: aws.String(q.urls[queue]), ReceiptHandle: &receipt, VisibilityTimeout: int32(visibility.Seconds()),
	})
	return err
}
