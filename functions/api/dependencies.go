package main

import (
	"time"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/aws/databasewait"
	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/secrets"
	"github.com/loadbay/loadbay/shared/aws/signedurl"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/entity/declared/expression"
	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/imports/cancel"
	"github.com/loadbay/loadbay/shared/imports/correction"
	"github.com/loadbay/loadbay/shared/imports/declaration"
	"github.com/loadbay/loadbay/shared/imports/preview"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/mapping/concept"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/output/errorworkbook"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/profile"
	"github.com/loadbay/loadbay/shared/runtime/outage"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/runtime/version"
	"github.com/loadbay/loadbay/shared/sheet"
)

// newDependencies creates the dependencies of the API, which has the most of all functions.
func newDependencies(fn *lambdafn.Function, c config, db *postgres.DB) (httpapi.Dependencies, error) {
	bucket, table, flow := objectstore.Open(fn.AWS, c.Bucket), coordination.Open(fn.AWS, c.Table, db.Now), workflow.Open(fn.AWS, c.Workflow)
	announcer := outbox.New(db, eventbus.Open(fn.AWS, c.Events), fn.Transitions(), fn.Log)
	imports, err := submit.New(db, bucket, flow, table, announcer, c.Limits, fn.Log)
	if err != nil {
		return httpapi.Dependencies{}, err
	}
	exports, err := submit.NewExports(db, queue.Open(fn.AWS, c.Exports), table, c.Limits.Quotas, fn.Log)
	if err != nil {
		return httpapi.Dependencies{}, err
	}
	streams, err := signedurl.New(c.Stream, fn.AWS)
	if err != nil {
		return httpapi.Dependencies{}, err
	}
	types, tasks := catalog.New().WithDeclared(db).WithExpressions(expression.Compile), callback.New(table, flow)
	database := httpapi.HealthCheck{Name: "database", Ping: db.Ping}
	var databaseAway func()
	if c.DatabasePauses {
		database.Paused = &httpapi.PausedCheck{LastUsed: db.LastUsed, Memory: table}
		databaseAway = countWakes(fn.Metrics)
	}
	return httpapi.Dependencies{
		DB: db, Types: types, Concepts: concept.Vocabulary{}, Imports: imports.WithFetching(queue.Open(fn.AWS, c.Fetches)),
		Rows:            correction.New(db, bucket, types, sheet.DefaultLimits()),
		MappingPreviews: preview.New(db, bucket, types, sheet.DefaultLimits()),
		Review:          review.New(db, types, tasks, announcer, fn.Log),
		Readings:        reading.New(db, bucket, tasks, announcer, sheet.DefaultLimits(), fn.Log),
		Profiles:        profile.New(db, types, c.Limits.MailFrom != ""),
		Declarations:    declaration.New(db, types, fn.Log),
		Canceller:       cancel.New(db, flow, announcer, fn.Log),
		Exports:         exports, Downloads: bucket, Drops: bucket, Streams: streams, StreamSwitch: c.Streams, ErrorWorkbooks: errorworkbook.New(db, bucket, sheet.DefaultLimits()),
		Webhooks: c.Webhooks.Config(), Secrets: secrets.NewWebhookSealer(fn.AWS, c.Secrets), WebhookQueue: queue.Open(fn.AWS, c.Deliveries),
		DatabaseAway: databaseAway, DatabaseWaits: databasewait.Open(fn.AWS, databasewait.Settings{Table: c.Table.Table}, fn.Log),
		Health: []httpapi.HealthCheck{
			database, {Name: "bucket", Ping: bucket.Ping}, {Name: "table", Ping: table.Ping}, {Name: "stateMachine", Ping: flow.Ping},
		},
		Auth: c.Auth, Quotas: c.Limits.Quotas, MaxFileBytes: c.Limits.FileBytes, Version: version.String(), Log: fn.Log,
	}, nil
}

// countWakes counts the requests that are refused while a paused database resumes, which are no
// reason for an alarm.
func countWakes(metrics *telemetry.Metrics) func() {
	var wakes outage.Wakes
	return func() {
		if wakes.Waking(time.Now()) {
			metrics.Count("api.database.waking", 1)
		}
	}
}
