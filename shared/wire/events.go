package wire

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"

	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/callback"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/outbox"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/telemetry"
)

// eventsSettings name the bus on which the outside is told of imports.
type eventsSettings struct {
	Bus string `env:"EVENT_BUS,required"`
}

// announcer counts transitions, and publishes the events of those that the
// outside is told of.
func (e *Environment) announcer(c aws.Config, db *postgres.DB, s eventsSettings) *outbox.Announcer {
	return outbox.New(db, eventbus.New(eventbridge.NewFromConfig(c), s.Bus), telemetry.NewTransitions(e.Log, e.Metrics), e.Log)
}

// announcing publishes that a job waits, which resolving values has found out
// without a transition.
func announcing(resolve Handler[job.Ref, callback.Result], announcer *outbox.Announcer) Handler[job.Ref, callback.Result] {
	return func(ctx context.Context, ref job.Ref) (callback.Result, error) {
		result, err := resolve(ctx, ref)
		if err == nil && result.Next == callback.NextCells {
			announcer.Job(ctx, ref)
		}
		return result, err
	}
}
