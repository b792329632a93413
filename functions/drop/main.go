// Command drop is the Lambda function that starts an import for a new object in the drop folder.
package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
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
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[events.CloudWatchEvent, lambdafn.None], error) {
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
	step := drop.New(accepting, bucket, catalog.New(), db, fn.Log)
	return lambdafn.WithoutOutput(func(ctx context.Context, e events.CloudWatchEvent) error {
		created, err := objectstore.ParseCreated(e.Detail)
		if err != nil {
			return fmt.Errorf("event %s: %w", e.ID, err)
		}
		return step.Run(ctx, created)
	}), nil
}
