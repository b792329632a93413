// Package enqueue queues the events of new objects by organisation. EventBridge delivers the events
// of all organisations in the order of their creation, so that the last of a thousand files of one
// would delay the first file of another.
package enqueue

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Queue accepts events.
type Queue interface {
	SendObject(ctx context.Context, organisation tenant.ID, e object.Event, delay time.Duration) error
}

// Step is the enqueue function.
type Step struct {
	queue Queue
	log   *slog.Logger
}

// New returns the step.
func New(queue Queue, log *slog.Logger) *Step { return &Step{queue: queue, log: log} }

// Run queues an event.
func (s *Step) Run(ctx context.Context, e object.Event) error {
	organisation := organisationOf(e.Key)
	ctx = telemetry.With(ctx, "organisation_id", organisation)
	if err := s.queue.SendObject(ctx, organisation, e, 0); err != nil {
		return err
	}
	s.log.InfoContext(ctx, "object event queued", "size_bytes", e.Size)
	return nil
}

// organisationOf returns the organisation in the path of an object: uploads/{organisation}/… or
// drop/{organisation}/…. Objects without one share the group of organisation 0, which does not exist.
func organisationOf(key string) tenant.ID {
	_, rest, _ := strings.Cut(key, "/")
	folder, _, _ := strings.Cut(rest, "/")
	id, err := tenant.Parse(folder)
	if err != nil {
		return 0
	}
	return id
}
