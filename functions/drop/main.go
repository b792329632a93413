// Command drop is the Lambda function that starts an import for a new object in the drop folder.
package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/step/drop"
)

type config struct {
	Database rds.Settings
	Bucket   objectstore.Settings
	Workflow workflow.Settings
	Events   eventbus.Settings
	Limits   submit.Limits
	Drop     drop.Config
	Objects  string `env:"OBJECTS_QUEUE_URL,required"`
}

func main() { lambdafn.Run(build) }

// input is a batch of messages. The event of one object is accepted as well: operators and versions
// without a queue invoke the function with it.
type input struct {
	events.SQSEvent
	events.CloudWatchEvent
}

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[input, events.SQSEventResponse], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	bucket := objectstore.Open(fn.AWS, c.Bucket)
	announcer := outbox.New(db, eventbus.Open(fn.AWS, c.Events), fn.Transitions(), fn.Log)
	accepting, err := submit.New(db, bucket, workflow.Open(fn.AWS, c.Workflow), nil, announcer, c.Limits, fn.Log)
	if err != nil {
		return nil, err
	}
	objects := queue.Open(fn.AWS, c.Objects)
	step := drop.New(accepting, bucket, catalog.New().WithDeclared(db), db, objects, c.Drop, fn.Log)
	messages := lambdafn.RouteByQueue(fn.Log, lambdafn.Source{Queue: objects, Handle: lambdafn.ForEachMessage(fn.Log, "object event", step.Run)})
	return func(ctx context.Context, in input) (events.SQSEventResponse, error) {
		if len(in.Detail) == 0 {
			return messages(ctx, in.SQSEvent)
		}
		e, err := objectstore.ParseCreated(in.Time, in.Detail)
		if err != nil {
			return events.SQSEventResponse{}, fmt.Errorf("event %s: %w", in.ID, err)
		}
		return events.SQSEventResponse{}, step.Run(ctx, e)
	}, nil
}
