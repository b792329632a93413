package coordination

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// AbandonClaim ends the claim of an interrupted request: the next repetition
// takes over immediately and finds the same job, instead of waiting for the claim
// to expire.
func (t *Table) AbandonClaim(ctx context.Context, organisation tenant.ID, key string) error {
	_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                &t.name,
		Key:                      claimKey(organisation, key),
		UpdateExpression:         aws.String("SET claimed_at = :never"),
		ConditionExpression:      aws.String("#state = :claimed"),
		ExpressionAttributeNames: map[string]string{"#state": "state"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":never": unixAttribute(time.Unix(0, 0)), ":claimed": stringAttribute("claimed"),
		},
	})
	var failed *types.ConditionalCheckFailedException
	if err != nil && !errors.As(err, &failed) {
		return fmt.Errorf("abandon idempotency key: %w", err)
	}
	return nil
}
