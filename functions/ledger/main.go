// Command ledger is the Lambda function that accesses the database for fetch and notify, which
// run outside the database's network.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/dbproxy"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/output/dropresult"
	"github.com/loadbay/loadbay/shared/step/fetch"
	"github.com/loadbay/loadbay/shared/step/notify"
)

type config struct {
	Database rds.Settings
	Bucket   objectstore.Settings
	Workflow workflow.Settings
	Events   eventbus.Settings
	Limits   submit.Limits
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[dbproxy.Request, dbproxy.Response], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	bucket := objectstore.Open(fn.AWS, c.Bucket)
	announcer := outbox.New(db, eventbus.Open(fn.AWS, c.Events), fn.Transitions(), fn.Log)
	arrivals, err := submit.New(db, bucket, workflow.Open(fn.AWS, c.Workflow), nil, announcer, c.Limits, fn.Log)
	if err != nil {
		return nil, err
	}
	return dbproxy.New(
		fetch.NewStoreBackend(db, arrivals, announcer, fn.Log),
		notify.NewStoreBackend(db, dropresult.New(db, bucket)),
	).Run, nil
}
