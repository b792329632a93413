package blueprint_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

func TestNewIsValid(t *testing.T) {
	t.Parallel()
	require.NoError(t, blueprint.New().Validate())
}

func TestValidateReportsErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil func(*blueprint.Blueprint)
		want  string
	}{
		"function twice": {
			func(b *blueprint.Blueprint) { b.Functions = append(b.Functions, b.Functions[0]) },
			`function "api": the name is empty or already used`,
		},
		"memory": {
			func(b *blueprint.Blueprint) { b.Functions[0].Memory = 64 },
			"function api: memory of 64 MiB",
		},
		"timeout": {
			func(b *blueprint.Blueprint) { b.Functions[0].Timeout = time.Hour },
			"function api: timeout of 1h0m0s",
		},
		"variable twice": {
			func(b *blueprint.Blueprint) {
				b.Functions[0].Env = append(b.Functions[0].Env, b.Functions[0].Env[0])
			},
			"function api: BUCKET is set twice",
		},
		"address of a function that has none": {
			func(b *blueprint.Blueprint) {
				b.Functions[0].Env = append(b.Functions[0].Env, blueprint.Env{Name: "X", Ref: blueprint.FunctionURL, RefName: "drop"})
			},
			"function api: X: function drop has no function URL",
		},
		"wildcard action": {
			func(b *blueprint.Blueprint) {
				b.Functions[0].Grants = []blueprint.Grant{{Actions: []blueprint.Action{"s3:*"}, Resource: blueprint.OnBucket, ResourceName: "uploads/"}}
			},
			"function api: grant on bucket: s3:* is not an action",
		},
		"objects without a prefix": {
			func(b *blueprint.Blueprint) {
				b.Functions[0].Grants = []blueprint.Grant{{Actions: []blueprint.Action{"s3:GetObject"}, Resource: blueprint.OnBucket}}
			},
			"s3:GetObject is for objects under a prefix",
		},
		"action of another service": {
			func(b *blueprint.Blueprint) {
				b.Functions[0].Grants = []blueprint.Grant{{Actions: []blueprint.Action{"sqs:SendMessage"}, Resource: blueprint.OnTable}}
			},
			"grant on table: sqs:SendMessage is not an action",
		},
		"grant on a queue that is not there": {
			func(b *blueprint.Blueprint) {
				b.Functions[0].Grants = []blueprint.Grant{{Actions: []blueprint.Action{"sqs:SendMessage"}, Resource: blueprint.OnQueue, ResourceName: "gone"}}
			},
			`unknown queue "gone"`,
		},
		"dead letters nowhere": {
			func(b *blueprint.Blueprint) { b.Queues[0].DeadLetter = "gone" },
			`queue loadbay-rows: dead letters: unknown queue "gone"`,
		},
		"dead letters never": {
			func(b *blueprint.Blueprint) { b.Queues[0].MaxReceive = 0 },
			"queue loadbay-rows: a dead-letter queue requires a number of receives, and vice versa",
		},
		"event rule without dead letters": {
			func(b *blueprint.Blueprint) { b.EventBus.Rules[0].Queue = blueprint.EventsDeadLetters },
			`rule webhooks: no queue "loadbay-events-dlq" with dead letters`,
		},
		"event rule for everything": {
			func(b *blueprint.Blueprint) { b.EventBus.Rules[0].Source = "" },
			`rule "webhooks" of bus "loadbay": a name or the source is missing`,
		},
		"visibility": {
			func(b *blueprint.Blueprint) { b.Queues[0].Visibility = time.Minute },
			"queue loadbay-rows: visibility of 1m0s is less than 6 timeouts of process",
		},
		"more invocations than instances": {
			func(b *blueprint.Blueprint) { b.EventSources[0].MaxConcurrency = 21 },
			"queue loadbay-rows: 21 invocations of process at a time",
		},
		"consumer without permission": {
			func(b *blueprint.Blueprint) { b.EventSources[0].Function = "api" },
			"function api: may not consume loadbay-rows",
		},
		"object event to nobody": {
			func(b *blueprint.Blueprint) { b.ObjectEvents[0].Function = "gone" },
			`unknown function "gone"`,
		},
		"object event lost": {
			func(b *blueprint.Blueprint) { b.ObjectEvents[0].DeadLetter = "" },
			`unknown queue ""`,
		},
		"object events lost in two places": {
			func(b *blueprint.Blueprint) { b.ObjectEvents[1].DeadLetter = blueprint.RowsDeadLetters },
			"object events of enqueue: only one dead-letter queue is allowed",
		},
		"schedule of nothing": {
			func(b *blueprint.Blueprint) { b.Schedules[0].Function = "gone" },
			`schedule wake: unknown function "gone"`,
		},
		"schedule without times": {
			func(b *blueprint.Blueprint) { b.Schedules[0].Expression = "hourly" },
			`schedule wake: "hourly" is neither a rate nor a cron expression`,
		},
		"rule for everything": {
			func(b *blueprint.Blueprint) { b.Bucket.Rules[0].Prefix = "" },
			`lifecycle rule "uploads": it needs a prefix, or a tag`,
		},
		"rule for tagged uploads": {
			func(b *blueprint.Blueprint) {
				b.Bucket.Rules = []blueprint.LifecycleRule{{Name: "tagged", Tag: "a=b", ExpireDays: 1, AbortUploadDays: 1}}
			},
			`lifecycle rule "tagged": it needs a prefix, or a tag`,
		},
		"rule twice": {
			func(b *blueprint.Blueprint) { b.Bucket.Rules[1].Name = "uploads" },
			`lifecycle rule "uploads": the name is empty or already used`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := blueprint.New()
			tt.spoil(b)
			require.ErrorContains(t, b.Validate(), tt.want)
		})
	}
}
