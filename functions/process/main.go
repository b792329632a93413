// Command process is the Lambda function that writes one chunk of rows to the database, exactly
// once.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/aws/databasewait"
	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/entity/declared/expression"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/process"
)

type config struct {
	Database rds.Settings
	Waits    databasewait.Settings
	Bucket   objectstore.Settings
	Table    coordination.Settings
	Workflow workflow.Settings
	Events   eventbus.Settings
	Queue    string `env:"ROWS_QUEUE_URL,required"`
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Messages, error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	rowsDone := callback.NewRowsCompleter(db, callback.New(coordination.Open(fn.AWS, c.Table, db.Now), workflow.Open(fn.AWS, c.Workflow)))
	announcer := outbox.New(db, eventbus.Open(fn.AWS, c.Events), fn.Transitions(), fn.Log)
	step := process.New(db, objectstore.Open(fn.AWS, c.Bucket), catalog.New().WithDeclared(db).WithExpressions(expression.Compile), rowsDone, announcer, fn.Metrics, sheet.DefaultLimits(), fn.Log)
	waits := databasewait.Open(fn.AWS, c.Waits, fn.Log)
	chunks := lambdafn.ForEachMessage(fn.Log, "chunk", func(ctx context.Context, chunk job.ChunkRef) error {
		return waits.Record(ctx, chunk.JobID, step.Run(ctx, chunk))
	})
	return lambdafn.RouteByQueue(fn.Log, lambdafn.Source{Queue: queue.Open(fn.AWS, c.Queue), Handle: chunks}), nil
}
