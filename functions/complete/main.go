// Command complete is the Lambda function that checks that every row has an outcome and
// completes the job.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/databasewait"
	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/output/dropresult"
	"github.com/loadbay/loadbay/shared/step/complete"
)

type config struct {
	Database rds.Settings
	Waits    databasewait.Settings
	Bucket   objectstore.Settings
	Events   eventbus.Settings
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[job.Ref, lambdafn.None], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	announcer := outbox.New(db, eventbus.Open(fn.AWS, c.Events), fn.Transitions(), fn.Log)
	step := complete.New(db, catalog.New().WithDeclared(db), announcer, fn.Metrics, fn.Log)
	result := dropresult.New(db, objectstore.Open(fn.AWS, c.Bucket))
	// If writing the result fails, the state machine retries both steps; completing the job again
	// changes nothing.
	return databasewait.Watch(databasewait.Open(fn.AWS, c.Waits, fn.Log), lambdafn.WithoutOutput(func(ctx context.Context, ref job.Ref) error {
		if err := step.Run(ctx, ref); err != nil {
			return err
		}
		return result.Write(ctx, ref)
	})), nil
}
