// Command fetch is the Lambda function that gets the file of an import from the address that its caller named.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/lambdafn"
	outboundfetch "github.com/loadbay/loadbay/shared/outbound/fetch"
	"github.com/loadbay/loadbay/shared/outbox"
	"github.com/loadbay/loadbay/shared/step/fetch"
	"github.com/loadbay/loadbay/shared/submit"
)

type settings struct {
	Database rds.Settings
	Bucket   objectstore.Settings
	Workflow workflow.Settings
	Events   eventbus.Settings
	Limits   submit.Limits
	Queue    string `env:"FETCHES_QUEUE_URL,required"`
	// DeadLetters is the address of the second queue that the function serves: that
	// of messages which have failed too often.
	DeadLetters string `env:"FETCHES_DEAD_LETTERS_URL,required"`
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c settings) (lambdafn.Messages, error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	bucket := objectstore.Open(fn.AWS, c.Bucket)
	announcer := outbox.New(db, eventbus.Open(fn.AWS, c.Events), fn.Transitions(), fn.Log)
	arrivals, err := submit.New(db, bucket, workflow.Open(fn.AWS, c.Workflow), nil, announcer, c.Limits, fn.Log)
	if err != nil {
		return nil, err
	}
	limits := outboundfetch.DefaultConfig()
	limits.Bytes = c.Limits.FileBytes
	client, err := outboundfetch.New(limits)
	if err != nil {
		return nil, err
	}
	step := fetch.New(db, client, bucket, arrivals, announcer, fn.Log)
	return lambdafn.ByQueue(
		fn.Log,
		lambdafn.Source{Queue: queue.Open(fn.AWS, c.Queue), Handle: lambdafn.EachMessage(fn.Log, "fetch", step.Run)},
		lambdafn.Source{Queue: queue.Open(fn.AWS, c.DeadLetters), Handle: lambdafn.EachMessage(fn.Log, "fetch", step.GiveUp)},
	), nil
}
