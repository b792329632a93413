// Command fail is the Lambda function that records the error of a failed import.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/notify/outbox"
	"github.com/loadbay/loadbay/shared/output/dropresult"
	"github.com/loadbay/loadbay/shared/step/fail"
)

type config struct {
	Database rds.Settings
	Bucket   objectstore.Settings
	Events   eventbus.Settings
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[fail.Input, fail.Output], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	announcer := outbox.New(db, eventbus.Open(fn.AWS, c.Events), fn.Transitions(), fn.Log)
	step := fail.New(db, announcer, fn.Log)
	result := dropresult.New(db, objectstore.Open(fn.AWS, c.Bucket))
	// If writing the result fails, the state machine retries both steps; failing the job again
	// changes nothing.
	return func(ctx context.Context, in fail.Input) (fail.Output, error) {
		out, err := step.Run(ctx, in)
		if err != nil {
			return fail.Output{}, err
		}
		return out, result.Write(ctx, in.Ref)
	}, nil
}
