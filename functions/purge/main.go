// Command purge is the Lambda function that deletes imports and exports after their retention.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/step/purge"
)

type config struct {
	Database rds.Settings
	Bucket   objectstore.Settings
	Table    coordination.Settings
	Workflow workflow.Settings
	Events   eventbus.Settings
	Purge    purge.Config
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[lambdafn.None, lambdafn.None], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	announcer := outbox.New(db, eventbus.Open(fn.AWS, c.Events), fn.Transitions(), fn.Log)
	step, err := purge.New(db, objectstore.Open(fn.AWS, c.Bucket), coordination.Open(fn.AWS, c.Table, db.Now), workflow.Open(fn.AWS, c.Workflow),
		catalog.New(), announcer, fn.Metrics, c.Purge, fn.Log)
	if err != nil {
		return nil, err
	}
	return lambdafn.WithoutOutput(func(ctx context.Context, _ lambdafn.None) error {
		alone, err := db.WithTryLock(ctx, "purge", func(ctx context.Context) error {
			return step.Run(ctx)
		})
		if err == nil && !alone {
			fn.Log.InfoContext(ctx, "another run is in progress")
		}
		return err
	}), nil
}
