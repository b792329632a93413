// Command enqueue is the Lambda function that queues the events of new objects by organisation.
package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/step/enqueue"
)

type config struct {
	Queue string `env:"OBJECTS_QUEUE_URL,required"`
}

func main() { lambdafn.Run(build) }

func build(_ context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[events.CloudWatchEvent, lambdafn.None], error) {
	step := enqueue.New(queue.Open(fn.AWS, c.Queue), fn.Log)
	return lambdafn.WithoutOutput(func(ctx context.Context, e events.CloudWatchEvent) error {
		created, err := objectstore.ParseCreated(e.Time, e.Detail)
		if err != nil {
			return fmt.Errorf("event %s: %w", e.ID, err)
		}
		return step.Run(ctx, created)
	}), nil
}
