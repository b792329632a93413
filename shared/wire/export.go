package wire

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/queue"
	"github.com/loadbay/loadbay/shared/step/export"
	"github.com/loadbay/loadbay/shared/telemetry"
)

// exportsSettings say where exports are queued.
type exportsSettings struct {
	QueueURL string `env:"EXPORTS_QUEUE_URL,required"`
}

func (s exportsSettings) queue(c aws.Config) *queue.Queue {
	return queue.New(sqs.NewFromConfig(c), s.QueueURL)
}

// exportFiles is the bucket as the export step sees it.
type exportFiles struct{ files }

// Create begins a file.
func (f exportFiles) Create(ctx context.Context, key, contentType string) export.Object {
	return f.files.Create(ctx, key, contentType)
}

// Export builds the export function. It serves two queues: that of exports, and
// that of those which have failed too often.
func Export(ctx context.Context, env *Environment) (Handler[events.SQSEvent, events.SQSEventResponse], error) {
	var c struct {
		Database    databaseSettings
		Bucket      bucketSettings
		DeadLetters string `env:"EXPORTS_DEAD_LETTERS,required"` // the name of the second queue
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	step := export.New(db, exportFiles{c.Bucket.store(cfg)}, catalog.New(), env.Log)
	write, giveUp := eachExport(env.Log, step.Run), eachExport(env.Log, step.GiveUp)
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		if len(e.Records) > 0 && strings.HasSuffix(e.Records[0].EventSourceARN, ":"+c.DeadLetters) {
			return giveUp(ctx, e)
		}
		return write(ctx, e)
	}, nil
}

// eachExport runs a step on the export of every message and names those that are
// to be delivered again.
func eachExport(log *slog.Logger, run func(context.Context, job.ExportRef) error) Handler[events.SQSEvent, events.SQSEventResponse] {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		var response events.SQSEventResponse
		for _, m := range e.Records {
			ctx := telemetry.Scope(ctx)
			var ref job.ExportRef
			if err := json.Unmarshal([]byte(m.Body), &ref); err != nil || ref.ExportID == "" || ref.OrganisationID == 0 {
				log.ErrorContext(ctx, "message dropped: it is no export", "message_id", m.MessageId)
				continue
			}
			if err := run(ctx, ref); err != nil {
				log.ErrorContext(ctx, "export failed for now", "message_id", m.MessageId, "receives", m.Attributes["ApproximateReceiveCount"], "error", err)
				response.BatchItemFailures = append(response.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
			}
		}
		return response, nil
	}
}
