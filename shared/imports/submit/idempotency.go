package submit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// IdempotencyKeys remembers which job an idempotency key made.
type IdempotencyKeys interface {
	// Claim takes the key for a request with that fingerprint. IDEMPOTENCY_MISMATCH
	// for another one's, IDEMPOTENCY_IN_FLIGHT while that is being carried out.
	Claim(ctx context.Context, organisation tenant.ID, key, fingerprint, newID string) (job.Claim, error)
	// Done notes that the request has been carried out.
	CompleteClaim(ctx context.Context, organisation tenant.ID, key string) error
	// Release forgets a key whose request was refused.
	ReleaseClaim(ctx context.Context, organisation tenant.ID, key string) error
	// GiveUp lets a repetition carry out what this request could not.
	AbandonClaim(ctx context.Context, organisation tenant.ID, key string) error
}

// finishKeyTimeout is how long the book-keeping after a request may take.
const finishKeyTimeout = 3 * time.Second

// withKey carries out the request of an idempotency key, or repeats its response.
func (s *Service) withKey(ctx context.Context, r Request, id job.ID) (*Accepted, error) {
	if s.keys == nil {
		return nil, errors.New("submit: no place for idempotency keys")
	}
	fingerprint, err := r.fingerprint()
	if err != nil {
		return nil, err
	}
	claim, err := claimKey(ctx, s.keys, r.OrganisationID, r.Key, fingerprint, string(id))
	if err != nil {
		return nil, err
	}
	if claim.Done {
		accepted, err := s.existing(ctx, r, job.ID(claim.ID))
		return accepted.setKeyExpiry(claim), err
	}
	accepted, err := s.createJob(ctx, r, job.ID(claim.ID))
	finishKey(ctx, s.keys, s.log, r.OrganisationID, r.Key, err)
	if err != nil {
		return nil, err
	}
	return accepted.setKeyExpiry(claim), nil
}

// createOnce carries out a request without a file under an id of its own, or repeats the response
// of its idempotency key; "" is none. create is safe to repeat with the same id.
func (s *Service) createOnce(ctx context.Context, organisation tenant.ID, key, fingerprint string, create func(id job.ID) (*Accepted, error)) (*Accepted, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("new job id: %w", err)
	}
	if key == "" {
		return create(job.ID(id.String()))
	}
	if s.keys == nil {
		return nil, errors.New("submit: no place for idempotency keys")
	}
	claim, err := claimKey(ctx, s.keys, organisation, key, fingerprint, id.String())
	if err != nil {
		return nil, err
	}
	if claim.Done {
		accepted, err := s.existing(ctx, Request{OrganisationID: organisation}, job.ID(claim.ID))
		return accepted.setKeyExpiry(claim), err
	}
	accepted, err := create(job.ID(claim.ID))
	finishKey(ctx, s.keys, s.log, organisation, key, err)
	if err != nil {
		return nil, err
	}
	return accepted.setKeyExpiry(claim), nil
}

// setKeyExpiry says how long the key of the request is known.
func (a *Accepted) setKeyExpiry(claim job.Claim) *Accepted {
	if a != nil {
		a.KeyExpiresAt = claim.Expires
	}
	return a
}

// How long a repetition waits for the request that it repeats. Such requests take
// tenths of a second; a caller who sends two at once gets two answers.
const (
	claimTimeout    = 3 * time.Second
	minPollInterval = 50 * time.Millisecond // doubled each time
)

// claimKey claims a key, and waits for a request with it that is being carried
// out, so that its repetition is answered with what it makes.
func claimKey(ctx context.Context, keys IdempotencyKeys, organisation tenant.ID, key, fingerprint, newID string) (job.Claim, error) {
	deadline := time.Now().Add(claimTimeout)
	for pause := minPollInterval; ; pause *= 2 {
		claim, err := keys.Claim(ctx, organisation, key, fingerprint, newID)
		if problem.CodeOf(err) != problem.IdempotencyInFlight || time.Now().Add(pause).After(deadline) {
			return claim, err
		}
		select {
		case <-ctx.Done():
			return claim, err
		case <-time.After(pause):
		}
	}
}

// finishKey stores how the request of a key ended. If that fails, the caller still learns
// how the request itself ended: a repetition finds the same job once the claim is old.
func finishKey(ctx context.Context, keys IdempotencyKeys, log *slog.Logger, organisation tenant.ID, key string, outcome error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishKeyTimeout)
	defer cancel()
	end := keys.CompleteClaim
	switch code := problem.CodeOf(outcome); {
	case code == problem.Internal:
		end = keys.AbandonClaim
	case code != "":
		end = keys.ReleaseClaim
	}
	if err := end(ctx, organisation, key); err != nil {
		log.WarnContext(ctx, "idempotency key is not settled", "error", err)
	}
}

// existing returns the job that an earlier request with the same key has made.
func (s *Service) existing(ctx context.Context, r Request, id job.ID) (*Accepted, error) {
	j, err := s.readBody(ctx, job.Ref{JobID: id, OrganisationID: r.OrganisationID})
	if problem.CodeOf(err) == problem.NotFound {
		return nil, problem.New(problem.Gone, "The import that this Idempotency-Key made has been deleted.")
	}
	if err != nil {
		return nil, err
	}
	accepted := &Accepted{Job: j, Repeated: true}
	if j.Status == job.Uploaded && j.UploadedAt == nil && r.SourceURL == "" {
		accepted.Upload, err = s.newUpload(ctx, j)
	}
	return accepted, err
}

// fingerprint is the same for requests that ask for the same, whatever their
// bytes are: the boundaries of a form differ each time. A file whose content is
// known is the same under another name: names and content types are labels.
func (r *Request) fingerprint() (string, error) {
	name, contentType := r.File.Name, r.File.ContentType
	if r.File.SHA256 != "" {
		name, contentType = "", ""
	}
	text, err := json.Marshal(struct {
		Endpoint, Type    string
		Context           *int64
		Mode              string
		Options           json.RawMessage
		AutoStart, DryRun bool
		Name, ContentType string
		Size              int64
		SHA256            string
		Source            string          `json:",omitempty"`
		RetryOf           job.ID          `json:",omitempty"`
		Mapping           json.RawMessage `json:",omitempty"`
		SkipMapping       *bool           `json:",omitempty"`
		Profile           string          `json:",omitempty"`
		Review            job.Review      `json:",omitempty"`
		Label             string          `json:",omitempty"`
		MaxErrors         job.ErrorLimit  `json:",omitempty"`
		Notify            []string        `json:",omitempty"`
		Planning          PlanOptions     `json:",omitzero"`
	}{
		r.Endpoint, r.Type.Name, r.ContextID, string(r.Mode), r.Options, r.AutoStart, r.DryRun,
		name, contentType, r.File.Size, r.File.SHA256, r.SourceURL, r.RetryOf, r.Mapping, r.SkipMapping, r.Profile, r.Review, r.Label, r.MaxErrors, r.Notify, r.Planning,
	})
	if err != nil {
		return "", fmt.Errorf("fingerprint of request: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
