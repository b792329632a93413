package stack_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

func readQueues(t *testing.T, w *stageTemplates) []blueprint.Queue {
	t.Helper()
	var queues []blueprint.Queue
	for id, r := range w.ofType("AWS::SQS::Queue") {
		q := blueprint.Queue{
			Name:       w.queue(map[string]any{"Ref": id}),
			Visibility: seconds(r.Properties["VisibilityTimeout"]),
			Retention:  seconds(r.Properties["MessageRetentionPeriod"]),
		}
		if redrive, ok := r.Properties["RedrivePolicy"].(map[string]any); ok {
			q.DeadLetter, q.MaxReceive = w.queue(redrive["deadLetterTargetArn"]), intValue(redrive["maxReceiveCount"])
		}
		queues = append(queues, q)
	}
	return queues
}

func readEventSources(t *testing.T, w *stageTemplates) []blueprint.EventSource {
	t.Helper()
	var sources []blueprint.EventSource
	for _, r := range w.ofType("AWS::Lambda::EventSourceMapping") {
		require.Equal(t, []any{"ReportBatchItemFailures"}, r.Properties["FunctionResponseTypes"])
		sources = append(sources, blueprint.EventSource{
			Queue:          w.queue(r.Properties["EventSourceArn"]),
			Function:       w.functionName(w.text(r.Properties["FunctionName"])),
			BatchSize:      intValue(r.Properties["BatchSize"]),
			MaxConcurrency: intValue(nested(t, r.Properties, "ScalingConfig", "MaximumConcurrency")),
		})
	}
	return sources
}

func readObjectEvents(t *testing.T, w *stageTemplates) []blueprint.ObjectEvent {
	t.Helper()
	var list []blueprint.ObjectEvent
	for _, r := range w.ofType("AWS::Events::Rule") {
		pattern, ok := r.Properties["EventPattern"].(map[string]any)
		if !ok || r.Properties["EventBusName"] != nil {
			continue
		}
		bucket, _ := w.single(t, "AWS::S3::Bucket", "BucketName", "loadbay-files-"+w.stage+"-${AWS::AccountId}-${AWS::Region}")
		require.Equal(t, []any{"aws.s3"}, pattern["source"])
		require.Equal(t, []any{"Object Created"}, pattern["detail-type"])
		require.Equal(t, []string{"${" + bucket + "}"}, w.textList(nested(t, pattern, "detail", "bucket", "name")))
		target := nested(t, r.Properties, "Targets", 0)
		list = append(list, blueprint.ObjectEvent{
			Prefix:     nested(t, pattern, "detail", "object", "key", 0, "prefix").(string),
			Function:   w.functionName(w.text(nested(t, target, "Arn"))),
			DeadLetter: w.queue(nested(t, target, "DeadLetterConfig", "Arn")),
		})
	}
	return list
}

// readEventBus also checks that undeliverable events of a rule go to the dead-letter queue of
// its queue.
func readEventBus(t *testing.T, w *stageTemplates) blueprint.EventBus {
	t.Helper()
	id, r := w.single(t, "AWS::Events::EventBus", "", "")
	bus := blueprint.EventBus{Name: strings.TrimSuffix(w.text(r.Properties["Name"]), "-"+w.stage)}
	for _, r := range w.ofType("AWS::Events::Rule") {
		if w.text(r.Properties["EventBusName"]) != "${"+id+"}" {
			continue
		}
		pattern := r.Properties["EventPattern"].(map[string]any)
		require.Len(t, pattern, 1)
		target := nested(t, r.Properties, "Targets", 0)
		require.NotContains(t, target, "InputPath")
		rule := blueprint.EventRule{
			Name: w.baseName(w.text(r.Properties["Name"])), Source: w.text(nested(t, pattern, "source", 0)), Queue: w.queue(nested(t, target, "Arn")),
		}
		q, _ := w.blueprint.Queue(rule.Queue)
		require.Equal(t, q.DeadLetter, w.queue(nested(t, target, "DeadLetterConfig", "Arn")))
		bus.Rules = append(bus.Rules, rule)
	}
	return bus
}

func readSchedules(w *stageTemplates) []blueprint.Schedule {
	var list []blueprint.Schedule
	for _, r := range w.ofType("AWS::Events::Rule") {
		expression := w.text(r.Properties["ScheduleExpression"])
		if expression == "" {
			continue
		}
		target := r.Properties["Targets"].([]any)[0].(map[string]any)
		list = append(list, blueprint.Schedule{
			Name: w.baseName(w.text(r.Properties["Name"])), Expression: expression, Function: w.functionName(w.text(target["Arn"])),
		})
	}
	return list
}

// readBucket omits the one rule that is not in the blueprint, which removes the remains of the
// others.
func readBucket(t *testing.T, w *stageTemplates) blueprint.Bucket {
	t.Helper()
	_, r := w.single(t, "AWS::S3::Bucket", "BucketName", "loadbay-files-"+w.stage+"-${AWS::AccountId}-${AWS::Region}")
	bucket := blueprint.Bucket{Name: "loadbay-files"}
	for _, item := range nested(t, r.Properties, "LifecycleConfiguration", "Rules").([]any) {
		rule := item.(map[string]any)
		require.Equal(t, "Enabled", rule["Status"])
		if rule["Id"] == "delete-markers" {
			require.Equal(t, true, rule["ExpiredObjectDeleteMarker"])
			continue
		}
		require.InDelta(t, 7, nested(t, rule, "NoncurrentVersionExpiration", "NoncurrentDays"), 0)
		read := blueprint.LifecycleRule{Name: w.text(rule["Id"]), Prefix: w.text(rule["Prefix"]), ExpireDays: intValue(rule["ExpirationInDays"])}
		if rule["TagFilters"] != nil {
			filter := nested(t, rule, "TagFilters", 0)
			read.Tag = w.text(nested(t, filter, "Key")) + "=" + w.text(nested(t, filter, "Value"))
		} else {
			read.AbortUploadDays = intValue(nested(t, rule, "AbortIncompleteMultipartUpload", "DaysAfterInitiation"))
		}
		bucket.Rules = append(bucket.Rules, read)
	}
	return bucket
}

// readSecret also checks that CloudFormation generates the first key, and that the stage's own
// key encrypts it.
func readSecret(t *testing.T, w *stageTemplates) blueprint.Secret {
	t.Helper()
	_, r := w.single(t, "AWS::SecretsManager::Secret", "", "")
	key, _ := w.single(t, "AWS::KMS::Key", "", "")
	require.Equal(t, "${"+key+".Arn}", w.text(r.Properties["KmsKeyId"]))
	require.Equal(t, map[string]any{
		"SecretStringTemplate": `{"current":"1"}`, "GenerateStringKey": "1", "PasswordLength": 64.0, "ExcludePunctuation": true,
	}, r.Properties["GenerateSecretString"])
	return blueprint.Secret{Name: strings.TrimSuffix(w.text(r.Properties["Name"]), "-"+w.stage)}
}

func readTable(t *testing.T, w *stageTemplates) blueprint.Table {
	t.Helper()
	_, r := w.single(t, "AWS::DynamoDB::Table", "", "")
	table := blueprint.Table{
		Name:    strings.TrimSuffix(w.text(r.Properties["TableName"]), "-"+w.stage),
		TTLAttr: w.text(nested(t, r.Properties, "TimeToLiveSpecification", "AttributeName")),
	}
	for _, item := range r.Properties["KeySchema"].([]any) {
		switch nested(t, item, "KeyType") {
		case "HASH":
			table.PartitionKey = w.text(nested(t, item, "AttributeName"))
		case "RANGE":
			table.SortKey = w.text(nested(t, item, "AttributeName"))
		}
	}
	return table
}
