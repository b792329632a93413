package queue

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
)

// SendFetch queues the download of a job's file.
func (q *Queue) SendFetch(ctx context.Context, ref job.Ref) error {
	return q.send(ctx, ref.OrganisationID, ref, "fetch of job "+string(ref.JobID))
}
