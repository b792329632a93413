package stack

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambdadestinations"
	"github.com/aws/jsii-runtime-go"
)

// The retries of an object event before it goes to its dead-letter queue: by EventBridge to
// invoke the function, and by Lambda when the function fails.
const (
	eventHours       = 6
	deliveryAttempts = 24
	invokeAttempts   = 2 // after the first attempt: the maximum of Lambda
)

// addObjectEvents sends the bucket's "Object Created" events to functions by prefix.
func (svc *service) addObjectEvents() {
	for _, e := range svc.blueprint.ObjectEvents {
		suppressEndOfLine(svc.queues[e.DeadLetter])
		id := "Created-" + strings.Trim(e.Prefix, "/")
		awsevents.NewRule(svc.Stack, jsii.String(id), &awsevents.RuleProps{
			RuleName:    jsii.String(svc.settings.deployment().Rule(strings.ToLower(id))),
			Description: jsii.String("An object under " + e.Prefix + " goes to " + e.Function + "."),
			EventPattern: &awsevents.EventPattern{
				Source:     jsii.Strings("aws.s3"),
				DetailType: jsii.Strings("Object Created"),
				Detail: &map[string]any{
					"bucket": map[string]any{"name": []*string{svc.data.bucket.BucketName()}},
					"object": map[string]any{"key": []any{map[string]any{"prefix": e.Prefix}}},
				},
			},
			Targets: &[]awsevents.IRuleTarget{awseventstargets.NewLambdaFunction(svc.functions[e.Function], &awseventstargets.LambdaFunctionProps{
				DeadLetterQueue: svc.queues[e.DeadLetter],
				MaxEventAge:     awscdk.Duration_Hours(jsii.Number(eventHours)),
				RetryAttempts:   jsii.Number(deliveryAttempts),
			})},
		})
	}
	for _, f := range svc.blueprint.Functions {
		if queue := svc.blueprint.DeadLetterQueue(f.Name); queue != "" {
			svc.functions[f.Name].ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{
				OnFailure:     awslambdadestinations.NewSqsDestination(svc.queues[queue]),
				MaxEventAge:   awscdk.Duration_Hours(jsii.Number(eventHours)),
				RetryAttempts: jsii.Number(invokeAttempts),
			})
		}
	}
}
