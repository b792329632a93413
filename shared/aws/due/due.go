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

// What an instance commits becomes visible up to raiseEvery after it raised the item, so one
// look in vain may come too early: nothing is due after that many, of which each counts if it
// began that long after the last one that did.
const (
	looks = 3
	apart = 20 * time.Second
)

const (
	countLook = "SET looked = :began, looks = if_not_exists(looks, :none) + :one"
	lastLook  = "(attribute_not_exists(looked) OR looked <= :before)"
)

func key() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "due"}, "sk": &types.AttributeValueMemberS{Value: "reconcile"}}
}

// Raise says that there may be work soon.
func (i *Item) Raise(ctx context.Context) error {
	_, err := i.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &i.table, Key: key(), UpdateExpression: aws.String("SET looks = :none, raises = if_not_exists(raises, :none) + :one"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":none": number(0), ":one": number(1)},
	})
	if err != nil {
		return fmt.Errorf("raise what is due: %w", err)
	}
	return nil
}

// Due reports whether reconcile is to look now. Where nobody has ever looked, it is.
func (i *Item) Due(ctx context.Context, now time.Time) (bool, error) {
	item, err := i.read(ctx)
	if err != nil {
		return true, err
	}
	next, planned := item["next"]
	return valueOf(item["looks"]) < looks || planned && valueOf(next) <= now.Unix(), nil
}

// Raises is how often the item has been raised: what Settle is to be told.
func (i *Item) Raises(ctx context.Context) (int64, error) {
	item, err := i.read(ctx)
	return valueOf(item["raises"]), err
}

// Settle notes a look that began then, after that many raises, and when the next one is due
// without another raise: at next, or never if that is zero. It does nothing if the item has
// been raised meanwhile, or if the last look is too recent.
func (i *Item) Settle(ctx context.Context, raises int64, began, next time.Time) error {
	update := &dynamodb.UpdateItemInput{
		TableName: &i.table, Key: key(),
		UpdateExpression:         aws.String(countLook + " REMOVE #next"),
		ConditionExpression:      aws.String(lastLook + " AND raises = :seen"),
		ExpressionAttributeNames: map[string]string{"#next": "next"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":none": number(0), ":one": number(1), ":seen": number(raises),
			":began": number(began.Unix()), ":before": number(began.Add(-apart).Unix()),
		},
	}
	if raises == 0 {
		update.ConditionExpression = aws.String(lastLook + " AND attribute_not_exists(raises)")
		delete(update.ExpressionAttributeValues, ":seen")
	}
	if !next.IsZero() {
		update.UpdateExpression = aws.String(countLook + ", #next = :next")
		update.ExpressionAttributeValues[":next"] = number(next.Unix())
	}
	_, err := i.client.UpdateItem(ctx, update)
	var failed *types.ConditionalCheckFailedException
	if err != nil && !errors.As(err, &failed) {
		return fmt.Errorf("settle what is due: %w", err)
	}
	return nil
}

func (i *Item) read(ctx context.Context) (map[string]types.AttributeValue, error) {
	out, err := i.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &i.table, Key: key(), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, fmt.Errorf("read what is due: %w", err)
	}
	return out.Item, nil
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// valueOf is the inverse of number, and 0 for what is not there.
func valueOf(v types.AttributeValue) int64 {
	n, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	value, _ := strconv.ParseInt(n.Value, 10, 64) // only this package writes it
	return value
}
