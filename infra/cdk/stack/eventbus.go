package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/jsii-runtime-go"
)

// addEventBus makes the bus on which the outside is told of imports, with the
// rules that send its events on to queues. Whoever else is to hear of imports
// adds a rule of their own to the bus.
func (svc *service) addEventBus() {
	b := svc.blueprint.EventBus
	bus := awsevents.NewEventBus(svc.Stack, jsii.String("EventBus"), &awsevents.EventBusProps{
		EventBusName: jsii.String(svc.settings.name(b.Name)),
		Description:  jsii.String("Tells of Loadbay's imports."),
	})
	for _, r := range b.Rules {
		q, _ := svc.blueprint.Queue(r.Queue) // the blueprint is valid
		awsevents.NewRule(svc.Stack, jsii.String("Event-"+r.Name), &awsevents.RuleProps{
			RuleName:     jsii.String(svc.settings.name("loadbay-" + r.Name)),
			Description:  jsii.String("What " + r.Source + " tells goes to " + r.Queue + "."),
			EventBus:     bus,
			EventPattern: &awsevents.EventPattern{Source: jsii.Strings(r.Source)},
			Targets: &[]awsevents.IRuleTarget{awseventstargets.NewSqsQueue(svc.queues[r.Queue], &awseventstargets.SqsQueueProps{
				DeadLetterQueue: svc.queues[q.DeadLetter],
				MaxEventAge:     awscdk.Duration_Hours(jsii.Number(eventHours)),
				RetryAttempts:   jsii.Number(deliveryAttempts),
			})},
		})
	}
}
