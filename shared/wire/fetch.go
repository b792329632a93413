package wire

import (
	"context"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/job"
	remote "github.com/loadbay/loadbay/shared/outbound/fetch"
	"github.com/loadbay/loadbay/shared/step/fetch"
	"github.com/loadbay/loadbay/shared/submit"
)

// fetchedFiles is the bucket as the fetch step sees it.
type fetchedFiles struct{ files }

// Create begins a file.
func (f fetchedFiles) Create(ctx context.Context, key, contentType string) fetch.Object {
	return f.files.Create(ctx, key, contentType)
}

// Fetch builds the fetch function. It serves two queues: that of files, and that
// of those which could not be stored often enough.
func Fetch(ctx context.Context, env *Environment) (Handler[events.SQSEvent, events.SQSEventResponse], error) {
	var c struct {
		Database    databaseSettings
		Bucket      bucketSettings
		Workflow    workflowSettings
		Intake      submit.Limits
		Events      eventsSettings
		Queue       queueURL `env:"FETCHES_QUEUE_URL,required"`
		DeadLetters string   `env:"FETCHES_DEAD_LETTERS,required"` // the name of the second queue
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	bucket, announcer := c.Bucket.store(cfg), env.announcer(cfg, db, c.Events)
	arrivals, err := submit.New(db, uploads{bucket}, c.Workflow.workflow(cfg), nil, announcer, c.Intake, env.Log)
	if err != nil {
		return nil, err
	}
	limits := remote.DefaultConfig()
	limits.Bytes = c.Intake.FileBytes
	client, err := remote.New(limits)
	if err != nil {
		return nil, err
	}
	step := fetch.New(db, client, fetchedFiles{bucket}, arrivals, announcer, env.Log)
	run := postponing(env.Log, c.Queue.queue(cfg), eachMessage(env.Log, "fetch", isJob, step.Run))
	return orGiveUp(c.DeadLetters, run, eachMessage(env.Log, "fetch", isJob, step.GiveUp)), nil
}

func isJob(ref job.Ref) bool { return ref.JobID != "" && ref.OrganisationID != 0 }

// orGiveUp hands messages of the dead letters to another handler.
func orGiveUp(deadLetters string, handle, giveUp Handler[events.SQSEvent, events.SQSEventResponse]) Handler[events.SQSEvent, events.SQSEventResponse] {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		if len(e.Records) > 0 && strings.HasSuffix(e.Records[0].EventSourceARN, ":"+deadLetters) {
			return giveUp(ctx, e)
		}
		return handle(ctx, e)
	}
}
