package wire

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/loadbay/loadbay/shared/callback"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/deadletter"
	"github.com/loadbay/loadbay/shared/step/process"
	"github.com/loadbay/loadbay/shared/telemetry"
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
	var c rowsConfig
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	step := process.New(db, c.Bucket.store(cfg), catalog.New(), c.finisher(cfg, db), env.transitions(), env.Metrics, sheet.DefaultLimits(), env.Log)
	return eachChunk(env.Log, step.Run), nil
}

// DeadLetter builds the deadletter function.
func DeadLetter(ctx context.Context, env *Environment) (Handler[events.SQSEvent, events.SQSEventResponse], error) {
	var c rowsConfig
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	step := deadletter.New(db, c.Bucket.store(cfg), c.finisher(cfg, db), env.Metrics, sheet.DefaultLimits(), env.Log)
	return eachChunk(env.Log, step.Run), nil
}

func (c *rowsConfig) finisher(cfg aws.Config, db *postgres.DB) *callback.Rows {
	return callback.NewRows(db, callback.New(c.Table.table(cfg), c.Workflow.workflow(cfg)))
}

// eachChunk runs a step on the chunk of every message and names those that are
// to be delivered again. A message that is no chunk would never become one: it
// is logged and done with.
func eachChunk(log *slog.Logger, run func(context.Context, job.ChunkRef) error) Handler[events.SQSEvent, events.SQSEventResponse] {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		var response events.SQSEventResponse
		for _, m := range e.Records {
			ctx := telemetry.Scope(ctx)
			var ref job.ChunkRef
			if err := json.Unmarshal([]byte(m.Body), &ref); err != nil || ref.JobID == "" || ref.OrganisationID == 0 {
				log.ErrorContext(ctx, "message dropped: it is no chunk", "message_id", m.MessageId)
				continue
			}
			if err := run(ctx, ref); err != nil {
				log.ErrorContext(ctx, "chunk failed", "message_id", m.MessageId, "receives", m.Attributes["ApproximateReceiveCount"], "error", err)
				response.BatchItemFailures = append(response.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
			}
		}
		return response, nil
	}
}
