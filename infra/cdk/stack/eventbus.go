package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// addEventBus creates the bus for import events, with the rules that forward them to queues.
// Other subscribers add rules of their own to the bus.
func (svc *service) addEventBus() {
	b := svc.blueprint.EventBus
	bus := awsevents.NewEventBus(svc.Stack, jsii.String("EventBus"), &awsevents.EventBusProps{
		EventBusName: jsii.String(svc.settings.resourceName(b.Name)),
		Description:  jsii.String("Events of Loadbay's imports."),
	})
	for _, r := range b.Rules {
		q, _ := svc.blueprint.Queue(r.Queue) // the blueprint is valid
		rule := awsevents.NewRule(svc.Stack, jsii.String("Event-"+r.Name), &awsevents.RuleProps{
			RuleName:     jsii.String(svc.settings.deployment().Rule(r.Name)),
			Description:  jsii.String("Sends events of " + r.Source + " to " + r.Queue + "."),
			EventBus:     bus,
			EventPattern: &awsevents.EventPattern{Source: jsii.Strings(r.Source)},
			Targets: &[]awsevents.IRuleTarget{awseventstargets.NewSqsQueue(svc.queueWithoutKey(r), &awseventstargets.SqsQueueProps{
				DeadLetterQueue: svc.queues[q.DeadLetter],
				MaxEventAge:     awscdk.Duration_Hours(jsii.Number(eventHours)),
				RetryAttempts:   jsii.Number(deliveryAttempts),
			})},
		})
		svc.queues[r.Queue].AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("events.amazonaws.com"), nil)},
			Actions:    jsii.Strings("sqs:SendMessage"),
			Resources:  &[]*string{svc.queues[r.Queue].QueueArn()},
			Conditions: &map[string]any{"ArnEquals": map[string]any{"aws:SourceArn": rule.RuleArn()}},
		}))
	}
}

// queueWithoutKey returns a rule's queue without its key. For a queue with a known key, the CDK
// would open the key to EventBridge for every account; keys.go opens it for this account only.
func (svc *service) queueWithoutKey(r blueprint.EventRule) awssqs.IQueue {
	return awssqs.Queue_FromQueueArn(svc.Stack, jsii.String("Target-"+r.Name), svc.queues[r.Queue].QueueArn())
}
