package client

import (
	"context"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/client/api"
)

// ExportRequest describes the contents and the format of an export.
type ExportRequest = api.CreateBulkExportJSONRequestBody

// Export requests a file of any size, waits for it and saves it. It returns an *ExportError if
// the export ends without a file. each is called for every state of the export, unless it is
// nil. key makes the call safe to repeat, as in Import. For a file that fits into one stream,
// Save with c.API.StreamBulkExport is faster.
func (c *Client) Export(ctx context.Context, key string, wanted ExportRequest, to io.Writer, each func(*api.ExportJob)) (*api.ExportJob, error) {
	if key == "" {
		key = uuid.NewString()
	}
	job, err := Read[api.ExportJob](c.API.CreateBulkExport(ctx, &api.CreateBulkExportParams{IdempotencyKey: &key}, wanted))
	if err != nil {
		return nil, err
	}
	id := job.JobID.String()
	if job, err = c.WaitExport(ctx, id, each); err != nil {
		return job, err
	}
	if job.Status != api.ExportJobStatusCompleted {
		return job, &ExportError{Job: job}
	}
	if _, err := c.Save(ctx, to)(c.API.DownloadBulkExport(ctx, id, nil)); err != nil {
		return job, fmt.Errorf("download export %s: %w", id, err)
	}
	return job, nil
}

// ExportError reports an export that ended without a file.
type ExportError struct{ Job *api.ExportJob }

func (e *ExportError) Error() string {
	text := fmt.Sprintf("export %s is %s", e.Job.JobID, e.Job.Status)
	if e.Job.FailureReason != nil {
		text += ": " + *e.Job.FailureReason
	}
	return text
}
