package wire

import (
	"context"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/aws/signedurl"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/callback"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/errorbook"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/review"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/submit"
)

// API builds the api function.
func API(ctx context.Context, env *Environment) (Handler[events.APIGatewayV2HTTPRequest, events.APIGatewayV2HTTPResponse], error) {
	var c struct {
		Database   databaseSettings
		Bucket     bucketSettings
		Table      tableSettings
		Workflow   workflowSettings
		Intake     submit.Limits
		Exports    queueURL `env:"EXPORTS_QUEUE_URL,required"`
		Fetches    queueURL `env:"FETCHES_QUEUE_URL,required"`
		Events     eventsSettings
		Webhooks   webhookSettings
		Deliveries queueURL `env:"WEBHOOKS_QUEUE_URL,required"`
		Stream     string   `env:"STREAM_URL,required"`
	}
	cfg, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	bucket, table, flow := c.Bucket.store(cfg), c.Table.table(cfg, db), c.Workflow.workflow(cfg)
	announcer := env.announcer(cfg, db, c.Events)
	accepting, err := submit.New(db, uploads{bucket}, flow, keys{table}, announcer, c.Intake, env.Log)
	if err != nil {
		return nil, err
	}
	exporting, err := submit.NewExports(db, c.Exports.queue(cfg), keys{table}, env.Log)
	if err != nil {
		return nil, err
	}
	streams, err := signedurl.New(c.Stream, cfg)
	if err != nil {
		return nil, err
	}
	asking := review.New(db, catalog.New(), callback.New(table, flow), announcer, env.Log)
	handler, err := httpapi.New(httpapi.Dependencies{
		DB: db, Types: catalog.New(), Intake: accepting.Fetching(c.Fetches.queue(cfg)), Answers: asking, Stopper: flow, Recorder: announcer,
		Exports: exporting, Downloads: downloads{bucket}, Streams: streams, ErrorBooks: errorbook.New(db, bucket, sheet.DefaultLimits()), Webhooks: webhooks{c.Webhooks.config(), c.Deliveries.queue(cfg)}, Health: health(db, bucket, table, flow), Log: env.Log,
	})
	if err != nil {
		return nil, err
	}
	return httpapi.NewGateway(handler).Handle, nil
}

// downloads is the bucket as the API sees it.
type downloads struct{ files }

// Create begins a file.
func (d downloads) Create(ctx context.Context, key, contentType string) httpapi.Object {
	return d.files.Create(ctx, key, contentType)
}

// health lists what the service cannot do without. Nothing has the name that is
// asked for: that the answer says so is what counts.
func health(db *postgres.DB, bucket files, table *coordination.Table, flow *workflow.Workflow) []httpapi.Check {
	const nothing = "health"
	return []httpapi.Check{
		{Name: "database", Ask: db.Ping},
		{Name: "bucket", Ask: bucket.Ping},
		{Name: "table", Ask: func(ctx context.Context) error {
			_, err := table.Token(ctx, nothing, job.PhaseRows)
			return err
		}},
		{Name: "stateMachine", Ask: func(ctx context.Context) error {
			_, err := flow.Status(ctx, nothing)
			return err
		}},
	}
}
