package wire

import (
	"context"
	"errors"
	"fmt"

	"github.com/loadbay/loadbay/shared/callback"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/analyze"
	"github.com/loadbay/loadbay/shared/step/await"
	"github.com/loadbay/loadbay/shared/step/complete"
	"github.com/loadbay/loadbay/shared/step/fail"
	"github.com/loadbay/loadbay/shared/step/migrate"
	"github.com/loadbay/loadbay/shared/step/notify"
	"github.com/loadbay/loadbay/shared/step/reconcile"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/step/split"
	"github.com/loadbay/loadbay/shared/step/wholefile"
)

// Analyze builds the analyze function.
func Analyze(ctx context.Context, env *Environment) (Handler[job.Ref, callback.Result], error) {
	var c struct {
		Database databaseSettings
		Bucket   bucketSettings
		Events   eventsSettings
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	return analyze.New(db, c.Bucket.store(cfg), catalog.New(), env.announcer(cfg, db, c.Events), sheet.DefaultLimits(), env.Log).Run, nil
}

// Await builds the await function.
func Await(ctx context.Context, env *Environment) (Handler[await.Input, Nothing], error) {
	var c struct {
		Database databaseSettings
		Table    tableSettings
		Workflow workflowSettings
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	table := c.Table.table(cfg, db)
	step := await.New(db, table, callback.New(table, c.Workflow.workflow(cfg)))
	return quietly(step.Run), nil
}

// Resolve builds the resolve function.
func Resolve(ctx context.Context, env *Environment) (Handler[job.Ref, callback.Result], error) {
	var c struct {
		Database databaseSettings
		Bucket   bucketSettings
		Events   eventsSettings
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	announcer := env.announcer(cfg, db, c.Events)
	step := resolve.New(db, c.Bucket.store(cfg), catalog.New(), announcer, sheet.DefaultLimits(), env.Log)
	return announcing(step.Run, announcer), nil
}

// Split builds the split function.
func Split(ctx context.Context, env *Environment) (Handler[job.Ref, Nothing], error) {
	var c struct {
		Database databaseSettings
		Bucket   bucketSettings
		Queue    queueURL `env:"ROWS_QUEUE_URL,required"`
		Split    split.Config
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	step, err := split.New(db, c.Bucket.store(cfg), c.Queue.queue(cfg), c.Split, sheet.DefaultLimits(), env.Log)
	if err != nil {
		return nil, err
	}
	return quietly(step.Run), nil
}

// Complete builds the complete function.
func Complete(ctx context.Context, env *Environment) (Handler[job.Ref, Nothing], error) {
	var c endConfig
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	step := complete.New(db, env.announcer(cfg, db, c.Events), env.Metrics, env.Log)
	return completing(step.Run, newReceipts(db, c.Bucket.store(cfg))), nil
}

// WholeFile builds the wholefile function.
func WholeFile(ctx context.Context, env *Environment) (Handler[job.Ref, callback.Result], error) {
	var c struct {
		Database  databaseSettings
		Bucket    bucketSettings
		WholeFile wholefile.Config
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	step, err := wholefile.New(db, c.Bucket.store(cfg), catalog.New(), env.Metrics, c.WholeFile, sheet.DefaultLimits(), env.Log)
	if err != nil {
		return nil, err
	}
	return step.Run, nil
}

// Fail builds the fail function.
func Fail(ctx context.Context, env *Environment) (Handler[fail.Input, fail.Output], error) {
	var c endConfig
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	return failing(fail.New(db, env.announcer(cfg, db, c.Events), env.Log).Run, newReceipts(db, c.Bucket.store(cfg))), nil
}

// Reconcile builds the reconcile function.
func Reconcile(ctx context.Context, env *Environment) (Handler[Nothing, Nothing], error) {
	var c struct {
		Database  databaseSettings
		Bucket    bucketSettings
		Table     tableSettings
		Workflow  workflowSettings
		Events    eventsSettings
		Webhooks  queueURL `env:"WEBHOOKS_QUEUE_URL,required"`
		Exports   queueURL `env:"EXPORTS_QUEUE_URL,required"`
		Fetches   queueURL `env:"FETCHES_QUEUE_URL,required"`
		Reconcile reconcile.Config
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	w, announcer := c.Workflow.workflow(cfg), env.announcer(cfg, db, c.Events)
	step, err := reconcile.New(db, c.Bucket.store(cfg), w, callback.New(c.Table.table(cfg, db), w), announcer, env.Metrics, c.Reconcile, env.Log)
	if err != nil {
		return nil, err
	}
	lost := reconcile.NewLost(db, c.Exports.queue(cfg), c.Fetches.queue(cfg), announcer, c.Reconcile, env.Log)
	requeue := notify.NewRequeue(db, c.Webhooks.queue(cfg))
	return func(ctx context.Context, _ Nothing) (Nothing, error) {
		return Nothing{}, errors.Join(step.Run(ctx), lost.Run(ctx), announcer.Overdue(ctx), requeue.Run(ctx))
	}, nil
}

// Migrate builds the migrate function. Its event says nothing that matters:
// there is one thing to do.
func Migrate(ctx context.Context, env *Environment) (Handler[Nothing, migrate.Output], error) {
	var c struct {
		Database databaseSettings
		Migrate  migrate.Config
	}
	if err := env.load(&c); err != nil {
		return nil, err
	}
	cfg, err := awsConfig(ctx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, _ Nothing) (migrate.Output, error) {
		administrator, err := c.Database.administrator(ctx, cfg)
		if err != nil {
			return migrate.Output{}, fmt.Errorf("migrate: %w", err)
		}
		return migrate.New(administrator, c.Migrate, env.Log).Run(ctx)
	}, nil
}

// quietly is for steps that return nothing.
func quietly[In any](run func(context.Context, In) error) Handler[In, Nothing] {
	return func(ctx context.Context, in In) (Nothing, error) { return Nothing{}, run(ctx, in) }
}
