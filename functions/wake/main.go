// Command wake is the Lambda function that calls reconcile when there may be work for it.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/due"
	"github.com/loadbay/loadbay/shared/aws/invoke"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/step/wake"
)

type config struct {
	Table     string `env:"DUE_TABLE,required"`
	Reconcile string `env:"RECONCILE_FUNCTION,required"`
}

func main() { lambdafn.Run(build) }

func build(_ context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[lambdafn.None, lambdafn.None], error) {
	step := wake.New(due.Open(fn.AWS, c.Table), invoke.Open(fn.AWS, c.Reconcile))
	return lambdafn.WithoutOutput(func(ctx context.Context, _ lambdafn.None) error { return step.Run(ctx) }), nil
}
