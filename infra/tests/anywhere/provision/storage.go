package provision

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	tables "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	objects "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	queues "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// tableTimeout limits how long a table may take to become active.
const tableTimeout = time.Minute

func (p *Provisioner) createBucket(ctx context.Context, r *Resources) error {
	r.Bucket = p.blueprint.Bucket.Name
	if _, err := p.objects.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &r.Bucket}); err != nil {
		return fmt.Errorf("bucket %s: %w", r.Bucket, err)
	}
	_, err := p.objects.PutBucketNotificationConfiguration(ctx, &s3.PutBucketNotificationConfigurationInput{
		Bucket:                    &r.Bucket,
		NotificationConfiguration: &objects.NotificationConfiguration{EventBridgeConfiguration: &objects.EventBridgeConfiguration{}},
	})
	if err != nil {
		return fmt.Errorf("configure events of bucket %s: %w", r.Bucket, err)
	}
	return nil
}

// createQueues creates the dead-letter queues first, because the others refer to them.
func (p *Provisioner) createQueues(ctx context.Context, r *Resources) error {
	for _, redriven := range []bool{false, true} {
		for _, q := range p.blueprint.Queues {
			if (q.DeadLetter != "") != redriven {
				continue
			}
			if err := p.createQueue(ctx, r, q); err != nil {
				return fmt.Errorf("queue %s: %w", q.Name, err)
			}
		}
	}
	return nil
}

func (p *Provisioner) createQueue(ctx context.Context, r *Resources, q blueprint.Queue) error {
	attributes := map[string]string{
		string(queues.QueueAttributeNameVisibilityTimeout):      formatSeconds(q.Visibility),
		string(queues.QueueAttributeNameMessageRetentionPeriod): formatSeconds(q.Retention),
	}
	if q.DeadLetter != "" {
		policy, err := json.Marshal(map[string]string{"deadLetterTargetArn": r.QueueARNs[q.DeadLetter], "maxReceiveCount": strconv.Itoa(q.MaxReceive)})
		if err != nil {
			return err
		}
		attributes[string(queues.QueueAttributeNameRedrivePolicy)] = string(policy)
	}
	made, err := p.queues.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &q.Name, Attributes: attributes})
	if err != nil {
		return err
	}
	arn := queues.QueueAttributeNameQueueArn
	known, err := p.queues.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: made.QueueUrl, AttributeNames: []queues.QueueAttributeName{arn}})
	if err != nil {
		return err
	}
	r.Queues[q.Name], r.QueueARNs[q.Name] = *made.QueueUrl, known.Attributes[string(arn)]
	return nil
}

func formatSeconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

func (p *Provisioner) createTable(ctx context.Context, r *Resources) error {
	t := p.blueprint.Table
	r.Table = t.Name
	_, err := p.tables.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: &t.Name, BillingMode: tables.BillingModePayPerRequest,
		AttributeDefinitions: []tables.AttributeDefinition{
			{AttributeName: &t.PartitionKey, AttributeType: tables.ScalarAttributeTypeS},
			{AttributeName: &t.SortKey, AttributeType: tables.ScalarAttributeTypeS},
		},
		KeySchema: []tables.KeySchemaElement{
			{AttributeName: &t.PartitionKey, KeyType: tables.KeyTypeHash}, {AttributeName: &t.SortKey, KeyType: tables.KeyTypeRange},
		},
	})
	if err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	if err := dynamodb.NewTableExistsWaiter(p.tables).Wait(ctx, &dynamodb.DescribeTableInput{TableName: &t.Name}, tableTimeout); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	_, err = p.tables.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &t.Name,
		TimeToLiveSpecification: &tables.TimeToLiveSpecification{AttributeName: &t.TTLAttr, Enabled: aws.Bool(true)},
	})
	if err != nil {
		return fmt.Errorf("set time to live of table %s: %w", t.Name, err)
	}
	return nil
}
