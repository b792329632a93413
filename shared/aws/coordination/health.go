package coordination

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// healthKey returns the table's key of the last successful health check of a part.
func healthKey(part string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": stringAttribute("health"), "sk": stringAttribute(part)}
}

// LastHealthy returns when an instance has last reached a part of the service, or zero if that is
// unknown or the part has failed since.
func (t *Table) LastHealthy(ctx context.Context, part string) (time.Time, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: healthKey(part), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return time.Time{}, fmt.Errorf("read last health check of %s: %w", part, err)
	}
	if out.Item == nil {
		return time.Time{}, nil
	}
	return attributeTime(out.Item, "checked_at")
}

// SaveHealthy records when a part was reached, for all instances.
func (t *Table) SaveHealthy(ctx context.Context, part string, at time.Time) error {
	item := healthKey(part)
	item["checked_at"] = unixAttribute(at)
	if _, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &t.name, Item: item}); err != nil {
		return fmt.Errorf("save health check of %s: %w", part, err)
	}
	return nil
}

// ForgetHealthy records that a part has failed.
func (t *Table) ForgetHealthy(ctx context.Context, part string) error {
	if _, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &t.name, Key: healthKey(part)}); err != nil {
		return fmt.Errorf("delete health check of %s: %w", part, err)
	}
	return nil
}
