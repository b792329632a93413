package steptest

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
)

// EventRecorder counts transitions and publishes nothing: events stay in the outbox,
// where tests find them.
type EventRecorder struct{ job.Recorder }

// Job publishes nothing.
func (EventRecorder) Job(context.Context, job.Ref) {}
