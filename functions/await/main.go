// Command await is the Lambda function that saves the task token of a waiting state, or
// completes its task if there is nothing left to wait for.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/step/await"
)

type config struct {
	Database rds.Settings
	Table    coordination.Settings
	Workflow workflow.Settings
	Events   eventbus.Settings
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[await.Input, lambdafn.None], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	table := coordination.Open(fn.AWS, c.Table, db.Now)
	step := await.New(db, table, callback.New(table, workflow.Open(fn.AWS, c.Workflow)), catalog.New().WithDeclared(db), outbox.New(db, eventbus.Open(fn.AWS, c.Events), fn.Transitions(), fn.Log))
	return lambdafn.WithoutOutput(step.Run), nil
}
