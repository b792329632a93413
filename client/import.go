package client

import (
	"context"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/client/api"
)

// Source is a file that can be read at any place, and more than once: an *os.File, a
// *bytes.Reader.
type Source interface {
	io.ReaderAt
}

// Import announces a file and sends it. It returns when the file has arrived and the
// import goes on by itself: Wait says how it ends, or what it asks.
//
// creation needs Filename and ImportType; SizeBytes is set to size, and Sha256, unless it is
// given, to that of the file, which is read for it. key makes it safe to
// call again after a failure, for 24 hours: the same key and file are the same import. ""
// makes one up, which covers the repetitions within this call.
func (c *Client) Import(ctx context.Context, key string, creation api.Creation, file Source, size int64, progress Progress) (*api.ImportJob, error) {
	creation.SizeBytes = size
	if key == "" {
		key = uuid.NewString()
	}
	if creation.Sha256 == nil {
		sum, err := checksum(file, size)
		if err != nil {
			return nil, fmt.Errorf("announce %s: %w", creation.Filename, err)
		}
		creation.Sha256 = sum
	}
	job, err := Read[api.ImportJob](c.API.CreateImport(ctx, &api.CreateImportParams{IdempotencyKey: &key}, creation))
	if err != nil {
		return nil, fmt.Errorf("announce %s: %w", creation.Filename, err)
	}
	if job.Upload == nil {
		return job, nil // it has arrived already: this is a repetition
	}
	if err := c.sendFile(ctx, job.Identifier.String(), job.Upload, file, &progressMeter{total: size, onProgress: progress}); err != nil {
		return job, fmt.Errorf("send %s: %w", creation.Filename, err)
	}
	return job, nil
}

// Resume goes on with sending the file of an import where that was interrupted, maybe by
// another process: parts that have arrived are not sent again. The file has to be the same;
// one of another size is refused.
func (c *Client) Resume(ctx context.Context, id string, file Source, size int64, progress Progress) error {
	pending, err := Read[api.PendingUpload](c.API.GetUpload(ctx, id))
	if err != nil {
		return fmt.Errorf("go on with import %s: %w", id, err)
	}
	if pending.SizeBytes != size {
		return fmt.Errorf("go on with import %s: its file has %d bytes, this one %d", id, pending.SizeBytes, size)
	}
	meter := &progressMeter{total: size, onProgress: progress, sent: pending.ArrivedBytes}
	if err := c.sendFile(ctx, id, pending.Upload, file, meter); err != nil {
		return fmt.Errorf("send the file of import %s: %w", id, err)
	}
	return nil
}

// Ended reports whether nothing more will happen to an import.
func Ended(job *api.ImportJob) bool {
	return job.Status == api.StatusCOMPLETED || job.Status == api.StatusFAILED || job.Status == api.StatusCANCELLED
}

// NeedsInput reports whether an import waits for a person: for answers or for approval.
func NeedsInput(job *api.ImportJob) bool {
	return AwaitsApproval(job) || job.WaitingFor != nil && (*job.WaitingFor == api.ImportJobWaitingForCOLUMNMAPPINGS || *job.WaitingFor == api.ImportJobWaitingForCELLMAPPINGS)
}

// AwaitsApproval reports whether an import is a plan that is to be applied or discarded.
func AwaitsApproval(job *api.ImportJob) bool {
	return job.WaitingFor != nil && *job.WaitingFor == api.ImportJobWaitingForAPPROVAL
}
