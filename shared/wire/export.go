package wire

import (
	"context"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/step/export"
)

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
		Queue       queueURL `env:"EXPORTS_QUEUE_URL,required"`
		DeadLetters string   `env:"EXPORTS_DEAD_LETTERS,required"` // the name of the second queue
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	step := export.New(db, exportFiles{c.Bucket.store(cfg)}, catalog.New(), env.Log)
	run := postponing(env.Log, c.Queue.queue(cfg), eachMessage(env.Log, "export", isExport, step.Run))
	return orGiveUp(c.DeadLetters, run, eachMessage(env.Log, "export", isExport, step.GiveUp)), nil
}

func isExport(ref job.ExportRef) bool { return ref.ExportID != "" && ref.OrganisationID != 0 }
