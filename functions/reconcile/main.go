// Command reconcile is the Lambda function that finishes or reports stuck work.
package main

import (
	"context"
	"errors"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/aws/due"
	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/invoke"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/step/notify"
	"github.com/loadbay/loadbay/shared/step/reconcile"
)

type config struct {
	Database  rds.Settings
	Bucket    objectstore.Settings
	Table     coordination.Settings
	Workflow  workflow.Settings
	Events    eventbus.Settings
	Webhooks  string `env:"WEBHOOKS_QUEUE_URL,required"`
	Exports   string `env:"EXPORTS_QUEUE_URL,required"`
	Fetches   string `env:"FETCHES_QUEUE_URL,required"`
	Erase     string `env:"ERASE_FUNCTION,required"`
	Reconcile reconcile.Config
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[lambdafn.None, lambdafn.None], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	flow := workflow.Open(fn.AWS, c.Workflow)
	caller := callback.New(coordination.Open(fn.AWS, c.Table, db.Now), flow)
	announcer := outbox.New(db, eventbus.Open(fn.AWS, c.Events), fn.Transitions(), fn.Log)
	step, err := reconcile.New(db, objectstore.Open(fn.AWS, c.Bucket), flow, caller, announcer, fn.Metrics, c.Reconcile, fn.Log)
	if err != nil {
		return nil, err
	}
	queues := reconcile.Queues{Exports: queue.Open(fn.AWS, c.Exports), Fetches: queue.Open(fn.AWS, c.Fetches), Erasures: invoke.Open(fn.AWS, c.Erase)}
	lost := reconcile.NewRequeuer(db, queues, announcer, c.Reconcile, fn.Log)
	requeue := notify.NewRequeue(db, queue.Open(fn.AWS, c.Webhooks))
	round := reconcile.NewSweep(db, due.Open(fn.AWS, c.Table.Table), func(ctx context.Context) error {
		alone, err := db.WithTryLock(ctx, "reconcile", func(ctx context.Context) error {
			return errors.Join(step.Run(ctx), lost.Run(ctx), announcer.PublishOverdue(ctx), requeue.Run(ctx))
		})
		if err == nil && !alone {
			fn.Log.InfoContext(ctx, "another run is in progress")
		}
		return err
	})
	return lambdafn.WithoutOutput(func(ctx context.Context, _ lambdafn.None) error { return round.Run(ctx) }), nil
}
