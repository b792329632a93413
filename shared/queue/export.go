package queue

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/loadbay/loadbay/shared/job"
)

// SendExport queues an export.
func (q *Queue) SendExport(ctx context.Context, ref job.ExportRef) error {
	body, err := json.Marshal(ref)
	if err == nil {
		_, err = q.client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: aws.String(string(body))})
	}
	if err != nil {
		return fmt.Errorf("queue export %s: %w", ref.ExportID, err)
	}
	return nil
}
