package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Postpone lets a received message come back after a while, instead of when its
// visibility ends.
func (q *Queue) Postpone(ctx context.Context, receipt string, delay time.Duration) error {
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: &q.url, ReceiptHandle: &receipt, VisibilityTimeout: int32(delay.Seconds()),
	})
	if err != nil {
		return fmt.Errorf("postpone a message: %w", err)
	}
	return nil
}
