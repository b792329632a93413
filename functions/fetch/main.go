// Command fetch is the Lambda function that downloads the file of an import from the caller's
// address.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/invoke"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/dbproxy"
	"github.com/loadbay/loadbay/shared/imports/submit"
	outboundfetch "github.com/loadbay/loadbay/shared/notify/outbound/fetch"
	"github.com/loadbay/loadbay/shared/step/fetch"
)

type config struct {
	Bucket  objectstore.Settings
	Limits  submit.Limits
	DBProxy string `env:"LEDGER_FUNCTION,required"`
	Queue   string `env:"FETCHES_QUEUE_URL,required"`
	// DeadLetters is the address of the function's second queue: messages that failed too often.
	DeadLetters string `env:"FETCHES_DEAD_LETTERS_URL,required"`
}

func main() { lambdafn.Run(build) }

func build(_ context.Context, fn *lambdafn.Function, c config) (lambdafn.Messages, error) {
	limits := outboundfetch.DefaultConfig()
	limits.MaxBytes = c.Limits.FileBytes
	client, err := outboundfetch.New(limits)
	if err != nil {
		return nil, err
	}
	fetches := queue.Open(fn.AWS, c.Queue)
	step := fetch.New(dbproxy.NewClient(invoke.Open(fn.AWS, c.DBProxy)), fetches, client, objectstore.Open(fn.AWS, c.Bucket), fn.Log)
	return lambdafn.RouteByQueue(
		fn.Log,
		lambdafn.Source{Queue: fetches, Handle: lambdafn.ForEachMessage(fn.Log, "fetch", step.Run)},
		lambdafn.Source{Queue: queue.Open(fn.AWS, c.DeadLetters), Handle: lambdafn.ForEachMessage(fn.Log, "fetch", step.Fail)},
	), nil
}
