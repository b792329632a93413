package steptest

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
)

// Announcer counts transitions and publishes nothing: events stay in the outbox,
// where tests find them.
type Announcer struct{ job.Recorder }

// Job publishes nothing.
func (Announcer) Job(context.Context, job.Ref) {}
