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

// IdempotencyKeys stores the job of each idempotency key.
type IdempotencyKeys interface {
	// Claim claims the key for a request with that fingerprint. It returns IDEMPOTENCY_MISMATCH
	// if the key belongs to another request, and IDEMPOTENCY_IN_FLIGHT while the first request
	// is in progress.
	Claim(ctx context.Context, organisation tenant.ID, key, fingerprint, newID string) (job.Claim, error)
	// CompleteClaim records that the request has been carried out.
	CompleteClaim(ctx context.Context, organisation tenant.ID, key string) error
	// ReleaseClaim deletes the key of a rejected request.
	ReleaseClaim(ctx context.Context, organisation tenant.ID, key string) error
	// AbandonClaim lets a repetition carry out a request that failed.
	AbandonClaim(ctx context.Context, organisation tenant.ID, key string) error
}

// finishKeyTimeout limits the time for updating the claim after a request.
const finishKeyTimeout = 3 * time.Second

// withKey carries out the request of an idempotency key, or repeats its response.
func (s *Service) withKey(ctx context.Context, r Request, id job.ID) (*Accepted, error) {
	if s.keys == nil {
		return nil, errors.New("submit: missing store for idempotency keys")
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

// createOnce carries out a request without a file under a new id, or repeats the response
// of its idempotency key; "" is none. create is safe to repeat with the same id.
func (s *Service) createOnce(ctx context.Context, organisation tenant.ID, key, fingerprint string, create func(id job.ID) (*Accepted, error)) (*Accepted, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("create job ID: %w", err)
	}
	if key == "" {
		return create(job.ID(id.String()))
	}
	if s.keys == nil {
		return nil, errors.New("submit: missing store for idempotency keys")
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

// setKeyExpiry sets the time at which the key of the request expires.
func (a *Accepted) setKeyExpiry(claim job.Claim) *Accepted {
	if a != nil {
		a.KeyExpiresAt = claim.Expires
	}
	return a
}

// How long a repetition waits for the request that it repeats. Such requests take tenths of
// a second; a caller who sends two at once receives two responses.
const (
	claimTimeout    = 3 * time.Second
	minPollInterval = 50 * time.Millisecond // doubled after each attempt
)

// claimKey claims a key. If a request with the key is in progress, it waits, so that the
// repetition returns the same result.
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

// finishKey stores the outcome of a key's request. If that fails, the caller still receives
// the outcome: a repetition finds the same job once the claim has become old.
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
		log.WarnContext(ctx, "complete idempotency key", "error", err)
	}
}

// existing returns the job that an earlier request with the same key created.
func (s *Service) existing(ctx context.Context, r Request, id job.ID) (*Accepted, error) {
	j, err := s.readBody(ctx, job.Ref{JobID: id, OrganisationID: r.OrganisationID})
	if problem.CodeOf(err) == problem.NotFound {
		return nil, problem.New(problem.Gone, "The import created with this Idempotency-Key was deleted.")
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

// fingerprint is equal for equivalent requests, even if their bytes differ: the boundaries
// of a form are different each time. A file with a known hash is the same under another
// name, because names and content types are labels.
func (r *Request) fingerprint() (string, error) {
	name, contentType := r.File.Name, r.File.ContentType
	if r.File.SHA256 != "" {
		name, contentType = "", ""
	}
	stored, err := r.Stated()
	if err != nil {
		return "", fmt.Errorf("compute request fingerprint: %w", err)
	}
	type planning struct {
		Asked    bool
		Approval job.Approval
		Guards   *job.Guards
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
		Planning          planning        `json:",omitzero"`
		Stored            json.RawMessage `json:",omitempty"`
	}{
		r.Endpoint, r.Type.Name, r.ContextID, string(r.Mode), r.Options, r.oneShot, r.DryRun,
		name, contentType, r.File.Size, r.File.SHA256, r.SourceURL, r.RetryOf, r.Mapping, r.SkipMapping, r.Profile, r.Review, r.Label, r.MaxErrors, r.Notify, planning{r.Plan, r.Approval, r.Guards}, stored,
	})
	if err != nil {
		return "", fmt.Errorf("compute request fingerprint: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
