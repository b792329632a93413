package coordination

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// DeleteJobs deletes everything stored about jobs of one organisation: their tokens,
// and the idempotency keys that created them.
func (t *Table) DeleteJobs(ctx context.Context, organisation tenant.ID, jobIDs []job.ID) error {
	gone := make(map[job.ID]bool, len(jobIDs))
	for _, id := range jobIDs {
		gone[id] = true
		for _, phase := range job.Phases() {
			_, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &t.name, Key: tokenKey(id, phase)})
			if err != nil {
				return fmt.Errorf("delete token of job %s: %w", id, err)
			}
		}
	}
	return t.deleteKeys(ctx, organisation, func(id job.ID) bool { return gone[id] })
}

// DeleteIdempotencyKeys deletes all idempotency keys of an organisation.
func (t *Table) DeleteIdempotencyKeys(ctx context.Context, organisation tenant.ID) error {
	return t.deleteKeys(ctx, organisation, func(job.ID) bool { return true })
}

// deleteKeys deletes the organisation's idempotency keys that created a job for which
// chosen is true. A key is not stored with its job, so all keys are scanned: most are from
// the last day, because keys expire after that.
func (t *Table) deleteKeys(ctx context.Context, organisation tenant.ID, chosen func(job.ID) bool) error {
	pages := dynamodb.NewQueryPaginator(t.client, &dynamodb.QueryInput{
		TableName: &t.name, KeyConditionExpression: aws.String("pk = :pk AND begins_with(sk, :sk)"),
		ProjectionExpression: aws.String("pk, sk, job_id"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":pk": stringAttribute(fmt.Sprintf("organisation#%d", organisation)), ":sk": stringAttribute("idempotency#"),
		},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("list idempotency keys of organisation %d: %w", organisation, err)
		}
		for _, item := range page.Items {
			if !chosen(job.ID(attributeString(item, "job_id"))) {
				continue
			}
			if err := t.deleteKey(ctx, item); err != nil {
				return fmt.Errorf("delete idempotency key of organisation %d: %w", organisation, err)
			}
		}
	}
	return nil
}

// deleteKey deletes a key unless it has been used for another job in the meantime.
func (t *Table) deleteKey(ctx context.Context, item map[string]types.AttributeValue) error {
	_, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &t.name, Key: map[string]types.AttributeValue{"pk": item["pk"], "sk": item["sk"]},
		ConditionExpression:       aws.String("job_id = :job"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":job": item["job_id"]},
	})
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return nil
	}
	return err
}
