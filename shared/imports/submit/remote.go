package submit

import (
	"context"
	"path"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/outbound/fetch"
)

// FetchQueue brings jobs to the function that fetches their files.
type FetchQueue interface {
	SendFetch(ctx context.Context, ref job.Ref) error
}

// WithFetching returns the service for requests that name a source, too.
func (s *Service) WithFetching(q FetchQueue) *Service {
	service := *s
	service.fetchQueue = q
	return &service
}

// checkSourceURL looks at the address, and names the file after its path. What its
// host's name leads to is looked at when it is connected to.
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

// queueFetch has the file of a job fetched. The object's arrival starts the
// execution. Should the message not be sent, or be lost, reconcile sends it again.
func (s *Service) queueFetch(ctx context.Context, j *job.Job) error {
	if j.Status != job.Uploaded || j.UploadedAt != nil {
		return nil // an earlier attempt has got further
	}
	return s.fetchQueue.SendFetch(ctx, job.Ref{JobID: j.ID, OrganisationID: j.OrganisationID})
}
