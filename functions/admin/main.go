// Command admin is the Lambda function that serves /api/admin, and creates the first
// organisation when it is invoked with {"organisation":{"name":…}}.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/lambdahttp"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/imports/tablegrant"
	"github.com/loadbay/loadbay/shared/operations"
	"github.com/loadbay/loadbay/shared/organisation/registry"
)

type config struct {
	Database   rds.Settings
	Claims     httpapi.ClaimNames
	Workflow   workflow.Settings
	Operations operations.Config
	Queues     queues
	Table      string `env:"COORDINATION_TABLE,required"`
	// Endpoint is the address of a local replacement for AWS, or "".
	Endpoint string `env:"AWS_ENDPOINT_URL"`
}

// event is a request from API Gateway or a command. Callers of API Gateway control only the
// parts of their request, so they cannot forge a command.
type event struct {
	events.APIGatewayV2HTTPRequest
	registry.Command
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[event, any], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	service := registry.New(db, fn.Log)
	handler, err := httpapi.NewOperatorAPI(httpapi.OperatorDependencies{Registry: service, Operations: newOperations(fn, c, db), Tables: tablegrant.New(db, fn.Log), Links: consoleLinks(c), Claims: c.Claims, Log: fn.Log})
	if err != nil {
		return nil, err
	}
	serve := lambdahttp.Gateway(handler, httpapi.WithClaims)
	return func(ctx context.Context, e event) (any, error) {
		if e.Organisation != nil {
			return service.Run(ctx, e.Command)
		}
		return serve(ctx, e.APIGatewayV2HTTPRequest)
	}, nil
}
