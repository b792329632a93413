// Command stream is the Lambda function that streams exports through its own URL.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/lambdahttp"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/httpapi"
)

type config struct {
	Database rds.Settings
	Limits   httpapi.StreamLimits
	Reader   lambdahttp.ReaderTimeout
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[events.LambdaFunctionURLRequest, *events.LambdaFunctionURLStreamingResponse], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	handler, err := httpapi.NewStream(db, catalog.New().WithDeclared(db), c.Limits, fn.Log)
	if err != nil {
		return nil, err
	}
	c.Reader.Abandon = func() {
		fn.Log.Error("response no longer read: exit instance to end its invocation")
		os.Exit(1)
	}
	return lambdahttp.Stream(handler, httpapi.WithAfterResponse, c.Reader), nil
}
