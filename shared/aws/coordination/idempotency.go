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
	// minKeyLifetime is the least that a key's lifetime may be set to.
	minKeyLifetime = 10 * time.Minute
	// claimLifetime is how long a request may be in flight before a repetition
	// may take its place: longer than API Gateway lets a request last.
	claimLifetime = 60 * time.Second
)

// claimKey is the table's key of an idempotency key.
func claimKey(organisation tenant.ID, key string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": stringAttribute(fmt.Sprintf("organisation#%d", organisation)), "sk": stringAttribute("idempotency#" + key),
	}
}

// Claim takes an organisation's key for a request with that fingerprint.
// newID is used if the key is new. Another fingerprint is
// IDEMPOTENCY_MISMATCH; a request that is still being carried out is
// IDEMPOTENCY_IN_FLIGHT.
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
	expires := now.Add(t.settings.KeyLifetime).Truncate(time.Second) // as it is kept
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

// claimExisting decides about a request whose key is known.
func (t *Table) claimExisting(ctx context.Context, item map[string]types.AttributeValue, fingerprint string, now time.Time) (job.Claim, error) {
	jobID := attributeString(item, "job_id")
	expires, err := attributeTime(item, "expires_at")
	if err != nil {
		return job.Claim{}, fmt.Errorf("idempotency key: %w", err)
	}
	switch {
	case attributeString(item, "fingerprint") != fingerprint:
		return job.Claim{}, problem.New(problem.IdempotencyMismatch, "This Idempotency-Key was used for another request. Take a new one for every request.")
	case attributeString(item, "state") == "done":
		return job.Claim{ID: jobID, Done: true, Expires: expires}, nil
	}
	// Whoever claimed it last has died if the claim is old: one may take over.
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
		return job.Claim{}, problem.New(problem.IdempotencyInFlight, "A request with this Idempotency-Key is still being carried out. Try again in a moment.")
	default:
		return job.Claim{}, fmt.Errorf("take over idempotency key: %w", err)
	}
}

// CompleteClaim notes that the request of a key has been carried out.
func (t *Table) CompleteClaim(ctx context.Context, organisation tenant.ID, key string) error {
	_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &t.name,
		Key:                       claimKey(organisation, key),
		UpdateExpression:          aws.String("SET #state = :done"),
		ExpressionAttributeNames:  map[string]string{"#state": "state"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":done": stringAttribute("done")},
	})
	if err != nil {
		return fmt.Errorf("idempotency key is done: %w", err)
	}
	return nil
}

// ReleaseClaim gives a key back when its request was refused: nothing was made.
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
