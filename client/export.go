package client

import (
	"context"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/client/api"
)

// ExportRequest is what an export is to hold.
type ExportRequest = api.CreateExportJSONRequestBody

// Export has a file of any size written, waits for it and saves it: one that ends without
// a file is an *ExportError. each is told every state of it, unless it is nil. key makes it
// safe to call again, as that of Import does. Files that fit into one stream come sooner
// by Save of c.API.StreamExport.
func (c *Client) Export(ctx context.Context, key string, wanted ExportRequest, to io.Writer, each func(*api.ExportJob)) (*api.ExportJob, error) {
	if key == "" {
		key = uuid.NewString()
	}
	job, err := Read[api.ExportJob](c.API.CreateExport(ctx, &api.CreateExportParams{IdempotencyKey: &key}, wanted))
	if err != nil {
		return nil, fmt.Errorf("export %s: %w", wanted.ResourceType, err)
	}
	id := job.JobID.String()
	if job, err = c.WaitExport(ctx, id, each); err != nil {
		return job, err
	}
	if job.Status != api.ExportJobStatusCompleted {
		return job, &ExportError{Job: job}
	}
	if _, err := c.Save(ctx, to)(c.API.DownloadExport(ctx, id, nil)); err != nil {
		return job, fmt.Errorf("download export %s: %w", id, err)
	}
	return job, nil
}

// ExportError is an export that has ended without a file.
type ExportError struct{ Job *api.ExportJob }

func (e *ExportError) Error() string {
	text := fmt.Sprintf("export %s is %s", e.Job.JobID, e.Job.Status)
	if e.Job.FailureReason != nil {
		text += ": " + *e.Job.FailureReason
	}
	return text
}
