// Package due keeps one item in the coordination table: whether there may be work for
// reconcile. Whoever commits something raises it first; whoever has looked and found
// nothing settles it, unless it has been raised meanwhile. To read it wakes no database.
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

// Item is the one item, in the table of that name.
type Item struct {
	client *dynamodb.Client
	table  string
}

// Open returns the item of the table.
func Open(c aws.Config, table string) *Item { return New(dynamodb.NewFromConfig(c), table) }

// New returns the item of the table.
func New(client *dynamodb.Client, table string) *Item { return &Item{client: client, table: table} }

// What an instance commits becomes visible up to raiseInterval after it raised the item, so one
// look in vain may come too early: nothing is due after that many, of which each counts if it
// began that long after the last one that did.
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

// Raise says that there may be work soon.
func (i *Item) Raise(ctx context.Context) error {
	_, err := i.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &i.table, Key: itemKey(), UpdateExpression: aws.String("SET looks = :none, raises = if_not_exists(raises, :none) + :one"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":none": numberAttribute(0), ":one": numberAttribute(1)},
	})
	if err != nil {
		return fmt.Errorf("raise what is due: %w", err)
	}
	return nil
}

// Due reports whether reconcile is to look now. Where nobody has ever looked, it is.
func (i *Item) Due(ctx context.Context, now time.Time) (bool, error) {
	item, err := i.load(ctx)
	if err != nil {
		return true, err
	}
	next, planned := item["next"]
	return attributeNumber(item["looks"]) < maxIdleChecks || planned && attributeNumber(next) <= now.Unix(), nil
}

// RaiseCount is how often the item has been raised: what Settle is to be told.
func (i *Item) RaiseCount(ctx context.Context) (int64, error) {
	item, err := i.load(ctx)
	return attributeNumber(item["raises"]), err
}

// RecordCheck notes a look that began then, after that many raises, and when the next one is due
// without another raise: at next, or never if that is zero. It does nothing if the item has
// been raised meanwhile, or if the last look is too recent.
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
		return fmt.Errorf("settle what is due: %w", err)
	}
	return nil
}

func (i *Item) load(ctx context.Context) (map[string]types.AttributeValue, error) {
	out, err := i.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &i.table, Key: itemKey(), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, fmt.Errorf("read what is due: %w", err)
	}
	return out.Item, nil
}

func numberAttribute(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// attributeNumber is the inverse of number, and 0 for what is not there.
func attributeNumber(v types.AttributeValue) int64 {
	n, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	value, _ := strconv.ParseInt(n.Value, 10, 64) // only this package writes it
	return value
}
