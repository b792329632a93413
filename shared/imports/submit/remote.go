package submit

import (
	"context"
	"path"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/outbound/fetch"
)

// FetchQueue sends jobs to the function that fetches their files.
type FetchQueue interface {
	SendFetch(ctx context.Context, ref job.Ref) error
}

// WithFetching enables requests with a source URL.
func (s *Service) WithFetching(q FetchQueue) *Service {
	service := *s
	service.fetchQueue = q
	return &service
}

// checkSourceURL checks the URL, and names the file after its path. The addresses of its
// host are checked when the connection is opened.
func (r *Request) checkSourceURL() error {
	u, err := fetch.Check(r.SourceURL)
	if err != nil {
		return err
	}
	r.File = File{Name: path.Base(u.Path), ContentType: mediaType("")}
	if r.File.Name == "." || r.File.Name == "/" || checkFilename(r.File.Name) != nil {
		r.File.Name = u.Hostname()
	}
	return checkFilename(r.File.Name)
}

// queueFetch queues the fetch of a job's file. The object's event starts the execution. If
// the message cannot be sent, or is lost, reconcile sends it again.
func (s *Service) queueFetch(ctx context.Context, j *job.Job) error {
	if j.Status != job.Uploaded || j.UploadedAt != nil {
		return nil // an earlier attempt got further
	}
	return s.fetchQueue.SendFetch(ctx, job.Ref{JobID: j.ID, OrganisationID: j.OrganisationID})
}
