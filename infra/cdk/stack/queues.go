package stack

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// newQueues creates the queues, by name. Dead-letter queues come first, because other queues
// refer to them.
func newQueues(st awscdk.Stack, s Settings, queues []blueprint.Queue, key awskms.IKey) map[string]awssqs.Queue {
	made := map[string]awssqs.Queue{}
	for _, withDeadLetter := range []bool{false, true} {
		for _, q := range queues {
			if (q.DeadLetter != "") == withDeadLetter {
				made[q.Name] = newQueue(st, s, q, made[q.DeadLetter], key)
			}
		}
	}
	return made
}

func newQueue(st awscdk.Stack, s Settings, q blueprint.Queue, deadLetters awssqs.IQueue, key awskms.IKey) awssqs.Queue {
	props := &awssqs.QueueProps{
		QueueName:           jsii.String(s.resourceName(q.Name)),
		VisibilityTimeout:   duration(q.Visibility),
		RetentionPeriod:     duration(q.Retention),
		Encryption:          awssqs.QueueEncryption_KMS,
		EncryptionMasterKey: key,
		EnforceSSL:          jsii.Bool(true),
	}
	if q.DeadLetter != "" {
		props.DeadLetterQueue = &awssqs.DeadLetterQueue{Queue: deadLetters, MaxReceiveCount: jsii.Number(float64(q.MaxReceive))}
	}
	return awssqs.NewQueue(st, jsii.String("Queue-"+q.Name), props)
}

// addEventSources lets queues invoke functions. Only the failed messages of a batch return to the
// queue, and the queue never invokes more instances than the function has.
func (svc *service) addEventSources() {
	for _, e := range svc.blueprint.EventSources {
		awslambda.NewEventSourceMapping(svc.Stack, jsii.String("From-"+e.Queue), &awslambda.EventSourceMappingProps{
			Target:                  svc.functions[e.Function],
			EventSourceArn:          svc.queues[e.Queue].QueueArn(),
			BatchSize:               jsii.Number(float64(e.BatchSize)),
			MaxConcurrency:          jsii.Number(float64(e.MaxConcurrency)),
			ReportBatchItemFailures: jsii.Bool(true),
		})
	}
}

func duration(d time.Duration) awscdk.Duration {
	return awscdk.Duration_Seconds(jsii.Number(d.Seconds()))
}
