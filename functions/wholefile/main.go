// Command wholefile is the Lambda function that imports files with rows that depend on each
// other, and undoes imports, because their changes depend on each other as well.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/databasewait"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/undo"
	"github.com/loadbay/loadbay/shared/step/wholefile"
)

type config struct {
	Database  rds.Settings
	Waits     databasewait.Settings
	Bucket    objectstore.Settings
	WholeFile wholefile.Config
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[job.Ref, callback.Result], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	step, err := wholefile.New(db, objectstore.Open(fn.AWS, c.Bucket), catalog.New().WithDeclared(db), fn.Metrics, c.WholeFile, sheet.DefaultLimits(), fn.Log)
	if err != nil {
		return nil, err
	}
	run := undo.New(db, catalog.New().WithDeclared(db), fn.Metrics, c.WholeFile.Reserve, fn.Log).Intercept(step.Run)
	return databasewait.Watch(databasewait.Open(fn.AWS, c.Waits, fn.Log), run), nil
}
