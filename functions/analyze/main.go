// Command analyze is the Lambda function that detects a file's format and matches its columns.
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
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/analyze"
)

type config struct {
	Database rds.Settings
	Waits    databasewait.Settings
	Bucket   objectstore.Settings
	Events   eventbus.Settings
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[job.Ref, callback.Result], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	announcer := outbox.New(db, eventbus.Open(fn.AWS, c.Events), fn.Transitions(), fn.Log)
	step := analyze.New(db, objectstore.Open(fn.AWS, c.Bucket), catalog.New().WithDeclared(db), announcer, sheet.DefaultLimits(), fn.Log)
	return databasewait.Watch(databasewait.Open(fn.AWS, c.Waits, fn.Log), step.Run), nil
}
