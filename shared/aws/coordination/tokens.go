// Package coordination stores short-lived data shared by several functions in one
// DynamoDB table: the task token of a waiting state, and which job an idempotency
// key created.
package coordination

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/loadbay/loadbay/shared/job"
)

// Clock returns the time. DynamoDB offers no clock for comparisons, and the clocks of
// functions may differ, so all callers must share one clock.
type Clock func(ctx context.Context) (time.Time, error)

// Table is the DynamoDB table: pk and sk strings, expires_at its TTL.
type Table struct {
	client   *dynamodb.Client
	settings Settings
	name     string
	clock    Clock
}

// New returns the table named in the settings.
func New(client *dynamodb.Client, s Settings, clock Clock) *Table {
	return &Table{client: client, settings: s, name: s.Table, clock: clock}
}

// Settings configures the table's name and how long items without their own end are kept.
type Settings struct {
	Table string `env:"COORDINATION_TABLE,required"`
	// KeyLifetime is how long a repeated request is recognised.
	KeyLifetime time.Duration `env:"IDEMPOTENCY_LIFETIME" default:"24h"`
}

// Validate rejects key lifetimes that end before the request does.
func (s *Settings) Validate() error {
	if s.KeyLifetime < minKeyLifetime {
		return fmt.Errorf("IDEMPOTENCY_LIFETIME is %s; it must be at least %s", s.KeyLifetime, minKeyLifetime)
	}
	return nil
}

// Open returns the table named in the settings.
func Open(c aws.Config, s Settings, clock Clock) *Table {
	return New(dynamodb.NewFromConfig(c), s, clock)
}

// tokenLifetime is longer than the longest wait, 90 days.
const tokenLifetime = 100 * 24 * time.Hour

// tokenKey returns the table's key of the token of a phase of a job.
func tokenKey(jobID job.ID, phase job.Phase) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": stringAttribute("job#" + string(jobID)), "sk": stringAttribute("token#" + string(phase))}
}

// SaveToken stores the newest token of a phase of a job.
func (t *Table) SaveToken(ctx context.Context, jobID job.ID, phase job.Phase, token string) error {
	now, err := t.clock(ctx)
	if err != nil {
		return fmt.Errorf("save token of job %s: %w", jobID, err)
	}
	item := tokenKey(jobID, phase)
	item["token"] = stringAttribute(token)
	item["expires_at"] = unixAttribute(now.Add(tokenLifetime))
	_, err = t.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &t.name, Item: item})
	if err != nil {
		return fmt.Errorf("save token of job %s: %w", jobID, err)
	}
	return nil
}

// Token returns the newest token of a phase of a job, or "".
func (t *Table) Token(ctx context.Context, jobID job.ID, phase job.Phase) (string, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &t.name, ConsistentRead: aws.Bool(true),
		Key: tokenKey(jobID, phase),
	})
	if err != nil {
		return "", fmt.Errorf("load token of job %s: %w", jobID, err)
	}
	return attributeString(out.Item, "token"), nil
}

func stringAttribute(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func unixAttribute(t time.Time) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(t.Unix(), 10)}
}

// attributeTime is the inverse of seconds.
func attributeTime(item map[string]types.AttributeValue, name string) (time.Time, error) {
	v, ok := item[name].(*types.AttributeValueMemberN)
	if !ok {
		return time.Time{}, fmt.Errorf("%s is not a number", name)
	}
	n, err := strconv.ParseInt(v.Value, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s is not a time", name)
	}
	return time.Unix(n, 0), nil
}

func attributeString(item map[string]types.AttributeValue, name string) string {
	if v, ok := item[name].(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}
