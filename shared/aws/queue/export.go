package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// SendExport queues an export.
func (q *Queue) SendExport(ctx context.Context, ref job.ExportRef) error {
	return q.send(ctx, ref.OrganisationID, ref, "export "+string(ref.ExportID))
}

// send queues one message, a JSON document, for an organisation.
func (q *Queue) send(ctx context.Context, organisation tenant.ID, message any, what string) error {
	return q.sendLater(ctx, organisation, message, what, 0)
}

// sendLater is send for a message that is delivered after a delay, in whole seconds.
func (q *Queue) sendLater(ctx context.Context, organisation tenant.ID, message any, what string, delay time.Duration) error {
	body, err := json.Marshal(message)
	if err == nil {
		_, err = q.client.SendMessage(ctx, &sqs.SendMessageInput{
			QueueUrl: &q.url, MessageBody: aws.String(string(body)), MessageGroupId: messageGroup(organisation),
			DelaySeconds: int32(delay.Seconds()),
		})
	}
	if err != nil {
		return fmt.Errorf("queue %s: %w", what, err)
	}
	return nil
}
