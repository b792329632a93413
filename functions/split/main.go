// Command split is the Lambda function that splits a file into chunks of rows and queues them.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/databasewait"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/split"
)

type config struct {
	Database rds.Settings
	Waits    databasewait.Settings
	Bucket   objectstore.Settings
	Queue    string `env:"ROWS_QUEUE_URL,required"`
	Split    split.Config
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[job.Ref, lambdafn.None], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	step, err := split.New(db, objectstore.Open(fn.AWS, c.Bucket), queue.Open(fn.AWS, c.Queue), catalog.New().WithDeclared(db), c.Split, sheet.DefaultLimits(), fn.Log)
	if err != nil {
		return nil, err
	}
	return databasewait.Watch(databasewait.Open(fn.AWS, c.Waits, fn.Log), lambdafn.WithoutOutput(step.Run)), nil
}
