// Command tokens is the Lambda function that Cognito calls before it signs a token.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/userpool"
)

type event = events.CognitoEventUserPoolsPreTokenGenV2_0

func main() { lambdafn.Run(build) }

func build(context.Context, *lambdafn.Function, lambdafn.None) (lambdafn.Handler[event, event], error) {
	return func(_ context.Context, e event) (event, error) { return userpool.AddClaims(e), nil }, nil
}
