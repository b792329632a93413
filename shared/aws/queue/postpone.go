package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Postpone makes a received message visible again after a delay, instead of at the end of
// its visibility timeout.
func (q *Queue) Postpone(ctx context.Context, receipt string, delay time.Duration) error {
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: &q.url, ReceiptHandle: &receipt, VisibilityTimeout: int32(delay.Seconds()),
	})
	if err != nil {
		return fmt.Errorf("postpone a message: %w", err)
	}
	return nil
}
