// Command export is the Lambda function that exports the rows of a type to a file, and creates
// error workbooks.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/step/export"
)

type config struct {
	Database rds.Settings
	Bucket   objectstore.Settings
	Queue    string `env:"EXPORTS_QUEUE_URL,required"`
	// DeadLetters is the address of the function's second queue: messages that failed too often.
	DeadLetters string `env:"EXPORTS_DEAD_LETTERS_URL,required"`
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Messages, error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	step := export.New(db, objectstore.Open(fn.AWS, c.Bucket), catalog.New().WithDeclared(db), fn.Log)
	return lambdafn.RouteByQueue(
		fn.Log,
		lambdafn.Source{Queue: queue.Open(fn.AWS, c.Queue), Handle: lambdafn.ForEachMessage(fn.Log, "export", step.Run)},
		lambdafn.Source{Queue: queue.Open(fn.AWS, c.DeadLetters), Handle: lambdafn.ForEachMessage(fn.Log, "export", step.Fail)},
	), nil
}
