package queue

import (
	"context"
	"time"

	"github.com/loadbay/loadbay/shared/job"
)

// SendFetch queues the download of a job's file.
func (q *Queue) SendFetch(ctx context.Context, ref job.Ref) error {
	return q.SendFetchLater(ctx, ref, 0)
}

// SendFetchLater is SendFetch after a delay.
func (q *Queue) SendFetchLater(ctx context.Context, ref job.Ref, delay time.Duration) error {
	return q.sendLater(ctx, ref.OrganisationID, ref, "fetch of job "+string(ref.JobID), delay)
}
