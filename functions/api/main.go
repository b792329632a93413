// Command api is the Lambda function that serves the HTTP API.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/lambdahttp"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/secrets"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
)

type config struct {
	Database   rds.Settings
	Bucket     objectstore.Settings
	Table      coordination.Settings
	Workflow   workflow.Settings
	Limits     submit.Limits
	Auth       httpapi.Auth
	Events     eventbus.Settings
	Webhooks   webhook.Settings
	Secrets    secrets.Settings
	Exports    string `env:"EXPORTS_QUEUE_URL,required"`
	Fetches    string `env:"FETCHES_QUEUE_URL,required"`
	Deliveries string `env:"WEBHOOKS_QUEUE_URL,required"`
	Stream     string `env:"STREAM_URL,required"`
	// Streams is "off" where functions cannot stream: large exports then have to be created as files.
	Streams httpapi.StreamSwitch `env:"STREAMS"`
	// DatabasePauses is set if the database pauses without use; health checks then let it.
	DatabasePauses bool `env:"DATABASE_PAUSES"`
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[events.APIGatewayV2HTTPRequest, events.APIGatewayV2HTTPResponse], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	dependencies, err := newDependencies(fn, c, db)
	if err != nil {
		return nil, err
	}
	handler, err := httpapi.New(dependencies)
	if err != nil {
		return nil, err
	}
	return lambdahttp.Gateway(handler, httpapi.WithClaims), nil
}
