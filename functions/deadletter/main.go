// Command deadletter is the Lambda function that records an outcome for the rows of an
// undeliverable chunk.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/deadletter"
)

type config struct {
	Database rds.Settings
	Bucket   objectstore.Settings
	Table    coordination.Settings
	Workflow workflow.Settings
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Messages, error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	rowsDone := callback.NewRowsCompleter(db, callback.New(coordination.Open(fn.AWS, c.Table, db.Now), workflow.Open(fn.AWS, c.Workflow)))
	// Questions about values are rare here; reconcile announces them.
	step := deadletter.New(db, objectstore.Open(fn.AWS, c.Bucket), rowsDone, fn.Transitions(), fn.Metrics, sheet.DefaultLimits(), fn.Log)
	return lambdafn.ForEachMessage(fn.Log, "chunk", step.Run).Acknowledge, nil
}
