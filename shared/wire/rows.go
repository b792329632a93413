package wire

import (
	"context"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/loadbay/loadbay/shared/callback"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/deadletter"
	"github.com/loadbay/loadbay/shared/step/process"
)

// rowsConfig is what the functions that decide rows need.
type rowsConfig struct {
	Database databaseSettings
	Bucket   bucketSettings
	Table    tableSettings
	Workflow workflowSettings
}

// Process builds the process function.
func Process(ctx context.Context, env *Environment) (Handler[events.SQSEvent, events.SQSEventResponse], error) {
	var c struct {
		Rows   rowsConfig
		Events eventsSettings
	}
	cfg, db, err := env.open(ctx, &c, &c.Rows.Database)
	if err != nil {
		return nil, err
	}
	step := process.New(db, c.Rows.Bucket.store(cfg), catalog.New(), c.Rows.finisher(cfg, db), env.announcer(cfg, db, c.Events), env.Metrics, sheet.DefaultLimits(), env.Log)
	return eachMessage(env.Log, "chunk", isChunk, step.Run), nil
}

// DeadLetter builds the deadletter function.
func DeadLetter(ctx context.Context, env *Environment) (Handler[events.SQSEvent, events.SQSEventResponse], error) {
	var c rowsConfig
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	step := deadletter.New(db, c.Bucket.store(cfg), c.finisher(cfg, db), env.Metrics, sheet.DefaultLimits(), env.Log)
	return eachMessage(env.Log, "chunk", isChunk, step.Run), nil
}

func (c *rowsConfig) finisher(cfg aws.Config, db *postgres.DB) *callback.Rows {
	return callback.NewRows(db, callback.New(c.Table.table(cfg, db), c.Workflow.workflow(cfg)))
}

func isChunk(ref job.ChunkRef) bool { return ref.JobID != "" && ref.OrganisationID != 0 }
