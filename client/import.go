package client

import (
	"context"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/client/api"
)

// Source is a file that supports random access and repeated reads, such as an *os.File or a
// *bytes.Reader.
type Source interface {
	io.ReaderAt
}

// Import creates an import and uploads its file. It returns once the upload is complete; the
// import then continues on the server. Wait reports its result or its open questions.
//
// creation needs Filename and ImportType. Import sets SizeBytes to size and, unless it is
// given, Sha256 to the checksum of the file, which it reads for that. key makes it safe to call
// Import again after a failure, for 24 hours: the same key and file identify the same import. An
// empty key is replaced by a random one, which covers the retries within this call.
func (c *Client) Import(ctx context.Context, key string, creation api.Creation, file Source, size int64, progress Progress) (*api.ImportJob, error) {
	creation.SizeBytes = size
	if key == "" {
		key = uuid.NewString()
	}
	if creation.Sha256 == nil {
		sum, err := checksum(file, size)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", creation.Filename, err)
		}
		creation.Sha256 = sum
	}
	job, err := Read[api.ImportJob](c.API.CreateImport(ctx, &api.CreateImportParams{IdempotencyKey: &key}, creation))
	if err != nil {
		return nil, err
	}
	if job.Upload == nil {
		return job, nil // already uploaded: this call is a repetition
	}
	if err := c.sendFile(ctx, job.Identifier.String(), job.Upload, file, &progressMeter{total: size, onProgress: progress}); err != nil {
		return job, fmt.Errorf("upload the file: %w", err)
	}
	return job, nil
}

// Resume continues an interrupted upload, even one that another process began: parts that have
// arrived are not sent again. The file has to be the same; a file of another size is refused.
func (c *Client) Resume(ctx context.Context, id string, file Source, size int64, progress Progress) error {
	pending, err := Read[api.PendingUpload](c.API.GetUpload(ctx, id))
	if err != nil {
		return fmt.Errorf("resume import %s: %w", id, err)
	}
	if pending.SizeBytes != size {
		return fmt.Errorf("resume import %s: its file has %d bytes, this file has %d", id, pending.SizeBytes, size)
	}
	meter := &progressMeter{total: size, onProgress: progress, sent: pending.ArrivedBytes}
	if err := c.sendFile(ctx, id, pending.Upload, file, meter); err != nil {
		return fmt.Errorf("upload file of import %s: %w", id, err)
	}
	return nil
}

// Ended reports whether an import has reached a final state.
func Ended(job *api.ImportJob) bool {
	return job.Status == api.StatusCOMPLETED || job.Status == api.StatusFAILED || job.Status == api.StatusCANCELLED
}

// NeedsInput reports whether an import waits for a person: for decisions or for approval.
func NeedsInput(job *api.ImportJob) bool {
	return AwaitsApproval(job) || job.WaitingFor != nil && (*job.WaitingFor == api.ImportJobWaitingForCOLUMNMAPPINGS || *job.WaitingFor == api.ImportJobWaitingForCELLMAPPINGS)
}

// AwaitsApproval reports whether an import is a plan that can be applied or discarded.
func AwaitsApproval(job *api.ImportJob) bool {
	return job.WaitingFor != nil && *job.WaitingFor == api.ImportJobWaitingForAPPROVAL
}
