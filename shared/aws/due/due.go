// Package due stores one item in the coordination table: whether there may be work for
// reconcile. Every process that commits work raises it first; a check that finds no work
// settles it, unless it has been raised in the meantime. Reading it wakes no database.
package due

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is the single item, in the table of that name.
type Item struct {
	client *dynamodb.Client
	table  string
}

// Open returns the item of the table.
func Open(c aws.Config, table string) *Item { return New(dynamodb.NewFromConfig(c), table) }

// New returns the item of the table.
func New(client *dynamodb.Client, table string) *Item { return &Item{client: client, table: table} }

// A commit becomes visible up to raiseInterval after the raise, so a single check may come too
// early: the item is settled after maxIdleChecks checks, each of which counts only if it began at
// least minCheckInterval after the last counted one.
const (
	maxIdleChecks    = 3
	minCheckInterval = 20 * time.Second
)

const (
	countCheck    = "SET looked = :began, looks = if_not_exists(looks, :none) + :one"
	checkIsSpaced = "(attribute_not_exists(looked) OR looked <= :before)"
)

func itemKey() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "due"}, "sk": &types.AttributeValueMemberS{Value: "reconcile"}}
}

// Raise records that there may be work soon.
func (i *Item) Raise(ctx context.Context) error {
	_, err := i.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &i.table, Key: itemKey(), UpdateExpression: aws.String("SET looks = :none, raises = if_not_exists(raises, :none) + :one"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":none": numberAttribute(0), ":one": numberAttribute(1)},
	})
	if err != nil {
		return fmt.Errorf("set due flag: %w", err)
	}
	return nil
}

// Due reports whether reconcile should check now. It is true if there has never been a check.
func (i *Item) Due(ctx context.Context, now time.Time) (bool, error) {
	item, err := i.load(ctx)
	if err != nil {
		return true, err
	}
	next, planned := item["next"]
	return attributeNumber(item["looks"]) < maxIdleChecks || planned && attributeNumber(next) <= now.Unix(), nil
}

// RaiseCount returns how often the item has been raised, for RecordCheck.
func (i *Item) RaiseCount(ctx context.Context) (int64, error) {
	item, err := i.load(ctx)
	return attributeNumber(item["raises"]), err
}

// RecordCheck records a check that began at began, after raises raises, and when the next check
// is due without another raise: at next, or never if next is zero. It does nothing if the item
// has been raised in the meantime, or if the last check is too recent.
func (i *Item) RecordCheck(ctx context.Context, raises int64, began, next time.Time) error {
	update := &dynamodb.UpdateItemInput{
		TableName: &i.table, Key: itemKey(),
		UpdateExpression:         aws.String(countCheck + " REMOVE #next"),
		ConditionExpression:      aws.String(checkIsSpaced + " AND raises = :seen"),
		ExpressionAttributeNames: map[string]string{"#next": "next"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":none": numberAttribute(0), ":one": numberAttribute(1), ":seen": numberAttribute(raises),
			":began": numberAttribute(began.Unix()), ":before": numberAttribute(began.Add(-minCheckInterval).Unix()),
		},
	}
	if raises == 0 {
		update.ConditionExpression = aws.String(checkIsSpaced + " AND attribute_not_exists(raises)")
		delete(update.ExpressionAttributeValues, ":seen")
	}
	if !next.IsZero() {
		update.UpdateExpression = aws.String(countCheck + ", #next = :next")
		update.ExpressionAttributeValues[":next"] = numberAttribute(next.Unix())
	}
	_, err := i.client.UpdateItem(ctx, update)
	var failed *types.ConditionalCheckFailedException
	if err != nil && !errors.As(err, &failed) {
		return fmt.Errorf("clear due flag: %w", err)
	}
	return nil
}

func (i *Item) load(ctx context.Context) (map[string]types.AttributeValue, error) {
	out, err := i.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &i.table, Key: itemKey(), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, fmt.Errorf("read due flag: %w", err)
	}
	return out.Item, nil
}

func numberAttribute(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// attributeNumber is the inverse of numberAttribute; it returns 0 for a missing value.
func attributeNumber(v types.AttributeValue) int64 {
	n, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	value, _ := strconv.ParseInt(n.Value, 10, 64) // written only by this package
	return value
}
