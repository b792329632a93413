// Package databasewait records in the coordination table since when an import waits for the database,
// which cannot record it.
package databasewait

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/runtime/outage"
)

// Settings configures the table's name.
type Settings struct {
	Table string `env:"DUE_TABLE,required"`
}

// Table is the coordination table.
type Table struct {
	client *dynamodb.Client
	name   string
	log    *slog.Logger
	now    func() time.Time
}

// Open returns the table named in the settings.
func Open(c aws.Config, s Settings, log *slog.Logger) *Table {
	return New(dynamodb.NewFromConfig(c), s, log)
}

// New returns the table named in the settings.
func New(client *dynamodb.Client, s Settings, log *slog.Logger) *Table {
	return &Table{client: client, name: s.Table, log: log, now: time.Now}
}

const (
	// attemptPause is longer than the pause between two attempts, which is up to ten minutes for a chunk.
	attemptPause  = 12 * time.Minute
	recordTimeout = 2 * time.Second
)

// Watch returns the handler of a step that records its waits.
func Watch[Out any](t *Table, run func(context.Context, job.Ref) (Out, error)) func(context.Context, job.Ref) (Out, error) {
	return func(ctx context.Context, ref job.Ref) (Out, error) {
		out, err := run(ctx, ref)
		return out, t.Record(ctx, ref.JobID, err)
	}
}

// Record records that a job waits if the database is away, which it recognises by the error of a step.
// It returns that error.
func (t *Table) Record(ctx context.Context, id job.ID, err error) error {
	if !outage.Database(err) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	now := t.now()
	failure := t.update(ctx, &dynamodb.UpdateItemInput{
		Key:                       itemKey(id),
		UpdateExpression:          aws.String("SET since = :now, seen = :now, expires_at = :end"),
		ConditionExpression:       aws.String("attribute_not_exists(seen) OR seen <= :recent"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":recent": unixAttribute(now.Add(-attemptPause))},
	}, now)
	var waiting *types.ConditionalCheckFailedException
	if errors.As(failure, &waiting) {
		failure = t.update(ctx, &dynamodb.UpdateItemInput{
			Key:                       itemKey(id),
			UpdateExpression:          aws.String("SET seen = :now, expires_at = :end"),
			ExpressionAttributeValues: make(map[string]types.AttributeValue),
		}, now)
	}
	if failure != nil {
		t.log.WarnContext(ctx, "record wait for the database failed", "job_id", id, "error", failure)
	}
	return err
}

// update sends an update that uses :now and :end.
func (t *Table) update(ctx context.Context, in *dynamodb.UpdateItemInput, now time.Time) error {
	in.TableName = &t.name
	in.ExpressionAttributeValues[":now"], in.ExpressionAttributeValues[":end"] = unixAttribute(now), unixAttribute(now.Add(time.Hour))
	_, err := t.client.UpdateItem(ctx, in)
	return err
}

// Since returns since when a job waits that has made no progress after a time; nil if it does not wait.
func (t *Table) Since(ctx context.Context, id job.ID, progress time.Time) (*time.Time, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: itemKey(id)})
	if err != nil {
		return nil, fmt.Errorf("read wait for the database of job %s: %w", id, err)
	}
	since, seen := attributeTime(out.Item["since"]), attributeTime(out.Item["seen"])
	if seen.Before(progress) || t.now().Sub(seen) > attemptPause {
		return nil, nil
	}
	return &since, nil
}

func itemKey(id job.ID) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "job#" + string(id)}, "sk": &types.AttributeValueMemberS{Value: "database"}}
}

func unixAttribute(t time.Time) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(t.Unix(), 10)}
}

// attributeTime returns the time of an attribute; the zero time if there is none.
func attributeTime(v types.AttributeValue) time.Time {
	n, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		return time.Time{}
	}
	seconds, _ := strconv.ParseInt(n.Value, 10, 64) // written by Record
	return time.Unix(seconds, 0).UTC()
}
