// Package httpapi is Loadbay's HTTP interface. /api uses camelCase and /v1 snake_case
// for the same jobs; errors are problem details (RFC 9457) everywhere.
//
// One file holds one resource. What every request goes through is in
// serve.go, and the list of all routes in routes.go; openapi.yaml describes them,
// and a test holds it against both the routes and the responses.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/imports/preview"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/profile"
)

// Imports accepts imports.
type Imports interface {
	Accept(ctx context.Context, r submit.Request) (*submit.Accepted, error)
	Retry(ctx context.Context, r submit.RetryRequest) (*submit.Accepted, error)
	Undo(ctx context.Context, r submit.UndoRequest) (*submit.Accepted, error)
	CompleteUpload(ctx context.Context, ref job.Ref, uploadID string) (*job.Job, error)
	PendingUpload(ctx context.Context, ref job.Ref) (*submit.PendingUpload, error)
	PartBytes() int64
}

// Canceller ends imports early.
type Canceller interface {
	// Cancel returns the job as it has ended; STATE_CONFLICT where it is too late.
	Cancel(ctx context.Context, ref job.Ref) (*job.Job, error)
}

// Dependencies are what the handlers work with; all are needed.
type Dependencies struct {
	DB              *postgres.DB
	Types           *catalog.Catalog
	Imports         Imports
	Review          *review.Service
	Rows            Rows
	MappingPreviews *preview.Service
	Profiles        *profile.Service
	Readings        *reading.Service
	Canceller       Canceller
	Exports         Exports
	Downloads       Downloads
	Drops           Drops
	Streams         StreamSigner
	ErrorWorkbooks  ErrorWorkbooks
	Webhooks        WebhookChecker
	Secrets         SecretSealer
	WebhookQueue    WebhookQueue
	// Auth says how people sign in.
	Auth Auth
	// Quotas are those of organisations that have none of their own.
	Quotas quota.Limits
	// MaxFileBytes is as what a file counts whose size is not known.
	MaxFileBytes int64
	// Health is asked one by one whether it can be reached.
	Health []HealthCheck
	// Version is of the running program, for GET /health.
	Version string
	Log     *slog.Logger
}

// api holds the handlers.
type api struct {
	Dependencies
	meter *quota.Meter
	// idle is how long a transaction that writes a file may wait for its reader; 0:
	// as long as any other.
	idleTimeout time.Duration
}

// New returns the handler of all routes.
func New(d Dependencies) (http.Handler, error) {
	if d.DB == nil || d.Types == nil || d.Imports == nil || d.Review == nil || d.Rows == nil || d.MappingPreviews == nil || d.Profiles == nil || d.Readings == nil || d.Canceller == nil || d.Exports == nil || d.Downloads == nil || d.Drops == nil || d.Streams == nil || d.ErrorWorkbooks == nil || d.Webhooks == nil || d.Secrets == nil || d.WebhookQueue == nil || d.Log == nil {
		return nil, errors.New("http api: something it works with is missing")
	}
	if err := d.Quotas.Validate(); err != nil {
		return nil, fmt.Errorf("http api: %w", err)
	}
	a := &api{Dependencies: d, meter: quota.NewMeter(d.DB, d.Quotas.RequestsPerMinute)}
	return a.serve(a.routes(), maxInlineBytes), nil
}
