package steptest

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
)

// EventRecorder counts transitions and publishes nothing: events stay in the outbox, where tests
// can read them.
type EventRecorder struct{ job.Recorder }

// PublishJob publishes nothing.
func (EventRecorder) PublishJob(context.Context, job.Ref) {}
