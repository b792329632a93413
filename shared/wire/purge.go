package wire

import (
	"context"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/step/purge"
)

// Purge builds the purge function.
func Purge(ctx context.Context, env *Environment) (Handler[Nothing, Nothing], error) {
	var c struct {
		Database databaseSettings
		Bucket   bucketSettings
		Table    tableSettings
		Workflow workflowSettings
		Events   eventsSettings
		Purge    purge.Config
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	step, err := purge.New(db, c.Bucket.store(cfg), c.Table.table(cfg, db), c.Workflow.workflow(cfg), catalog.New(), env.announcer(cfg, db, c.Events), env.Metrics, c.Purge, env.Log)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, _ Nothing) (Nothing, error) { return Nothing{}, step.Run(ctx) }, nil
}
