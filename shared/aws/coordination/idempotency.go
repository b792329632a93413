package coordination

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

const (
	// minKeyLifetime is the minimum of a key's lifetime.
	minKeyLifetime = 10 * time.Minute
	// claimLifetime is how long a request may be in flight before a repetition
	// may take over: longer than API Gateway's limit for a request.
	claimLifetime = 60 * time.Second
)

// claimKey returns the table's key of an idempotency key.
func claimKey(organisation tenant.ID, key string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": stringAttribute(fmt.Sprintf("organisation#%d", organisation)), "sk": stringAttribute("idempotency#" + key),
	}
}

// Claim claims an organisation's key for a request with that fingerprint.
// newID is used if the key is new. The error is IDEMPOTENCY_MISMATCH if the key has
// another fingerprint, and IDEMPOTENCY_IN_FLIGHT while another request with the key
// is running.
func (t *Table) Claim(ctx context.Context, organisation tenant.ID, key, fingerprint, newID string) (job.Claim, error) {
	now, err := t.clock(ctx)
	if err != nil {
		return job.Claim{}, fmt.Errorf("claim idempotency key: %w", err)
	}
	item := claimKey(organisation, key)
	item["fingerprint"] = stringAttribute(fingerprint)
	item["job_id"] = stringAttribute(newID)
	item["state"] = stringAttribute("claimed")
	item["claimed_at"] = unixAttribute(now)
	expires := now.Add(t.settings.KeyLifetime).Truncate(time.Second) // precision of the stored value
	item["expires_at"] = unixAttribute(expires)
	_, err = t.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &t.name, Item: item,
		ConditionExpression:                 aws.String("attribute_not_exists(pk) OR expires_at < :now"),
		ExpressionAttributeValues:           map[string]types.AttributeValue{":now": unixAttribute(now)},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	switch {
	case err == nil:
		return job.Claim{ID: newID, Expires: expires}, nil
	case errors.As(err, &failed):
		return t.claimExisting(ctx, failed.Item, fingerprint, now)
	default:
		return job.Claim{}, fmt.Errorf("claim idempotency key: %w", err)
	}
}

// claimExisting handles a request with a known key.
func (t *Table) claimExisting(ctx context.Context, item map[string]types.AttributeValue, fingerprint string, now time.Time) (job.Claim, error) {
	jobID := attributeString(item, "job_id")
	expires, err := attributeTime(item, "expires_at")
	if err != nil {
		return job.Claim{}, fmt.Errorf("idempotency key: %w", err)
	}
	switch {
	case attributeString(item, "fingerprint") != fingerprint:
		return job.Claim{}, problem.New(problem.IdempotencyMismatch, "This Idempotency-Key was already used for another request. Use a new key for every request.")
	case attributeString(item, "state") == "done":
		return job.Claim{ID: jobID, Done: true, Expires: expires}, nil
	}
	// An old claim means that its request has died: another one may take over.
	_, err = t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           &t.name,
		Key:                 map[string]types.AttributeValue{"pk": item["pk"], "sk": item["sk"]},
		UpdateExpression:    aws.String("SET claimed_at = :now"),
		ConditionExpression: aws.String("#state = :claimed AND claimed_at < :dead"),
		ExpressionAttributeNames: map[string]string{
			"#state": "state",
		},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":now": unixAttribute(now), ":claimed": stringAttribute("claimed"), ":dead": unixAttribute(now.Add(-claimLifetime)),
		},
	})
	var failed *types.ConditionalCheckFailedException
	switch {
	case err == nil:
		return job.Claim{ID: jobID, Expires: expires}, nil
	case errors.As(err, &failed):
		return job.Claim{}, problem.New(problem.IdempotencyInFlight, "A request with this Idempotency-Key is still running. Try again in a moment.")
	default:
		return job.Claim{}, fmt.Errorf("take over idempotency key: %w", err)
	}
}

// CompleteClaim records that the request of a key has completed.
func (t *Table) CompleteClaim(ctx context.Context, organisation tenant.ID, key string) error {
	_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &t.name,
		Key:                       claimKey(organisation, key),
		UpdateExpression:          aws.String("SET #state = :done"),
		ExpressionAttributeNames:  map[string]string{"#state": "state"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":done": stringAttribute("done")},
	})
	if err != nil {
		return fmt.Errorf("complete idempotency key: %w", err)
	}
	return nil
}

// ReleaseClaim deletes the claim of a rejected request, which has created nothing.
func (t *Table) ReleaseClaim(ctx context.Context, organisation tenant.ID, key string) error {
	_, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &t.name,
		Key:       claimKey(organisation, key),
	})
	if err != nil {
		return fmt.Errorf("release idempotency key: %w", err)
	}
	return nil
}
