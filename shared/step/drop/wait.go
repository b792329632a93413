package drop

import (
	"context"
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Queue accepts events for later.
type Queue interface {
	SendObject(ctx context.Context, organisation tenant.ID, e object.Event, delay time.Duration) error
}

// The delays of a file that waits: the first one, which doubles with every attempt, and the longest,
// which is less than the 15 minutes of SQS and of the alarm about old messages. After maxWait, the file
// goes to quarantine with the reason.
const (
	firstDelay   = 15 * time.Second
	longestDelay = 10 * time.Minute
	maxWait      = 24 * time.Hour
)

// mayWait reports whether a file that was refused can be accepted later without any change: once its
// organisation is within its quotas again, or once the undo of an earlier import of the file has ended.
func (s *Step) mayWait(e object.Event, refused error) bool {
	code := problem.CodeOf(refused)
	return code != "" && (code.Status() == http.StatusTooManyRequests || code == problem.UndoRunning) && s.now().Sub(e.At) < maxWait
}

// putBack queues the event of a file again. It is a new message, so that waiting does not count as a
// failure.
func (s *Step) putBack(ctx context.Context, organisation tenant.ID, e object.Event, because error) error {
	delay := longestDelay
	if e.Attempts < 6 {
		delay = firstDelay << e.Attempts
	}
	e.Attempts++
	if err := s.queue.SendObject(ctx, organisation, e, delay); err != nil {
		return err
	}
	s.log.InfoContext(ctx, "file waits in the drop folder", "code", problem.CodeOf(because), "attempts", e.Attempts, "delay_seconds", delay.Seconds())
	return nil
}
