// Package httpapi is Loadbay's HTTP interface. /api uses camelCase and /v1 snake_case
// for the same jobs; all errors are problem details (RFC 9457).
//
// Each file contains one resource. serve.go contains the processing common to all requests,
// and routes.go the list of all routes. openapi.yaml describes them; a test compares it with
// the routes and the responses.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/imports/preview"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/organisation/deletion"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/profile"
)

// Imports accepts imports.
type Imports interface {
	Accept(ctx context.Context, r submit.Request) (*submit.Accepted, error)
	Retry(ctx context.Context, r submit.RetryRequest) (*submit.Accepted, error)
	Undo(ctx context.Context, r submit.UndoRequest) (*submit.Accepted, error)
	RetriesToUndo(ctx context.Context, of job.Ref) ([]job.UndoneRetry, error)
	CompleteUpload(ctx context.Context, ref job.Ref, uploadID string) (*job.Job, error)
	PendingUpload(ctx context.Context, ref job.Ref, by string) (*submit.PendingUpload, error)
	PartBytes() int64
}

// Canceller cancels imports.
type Canceller interface {
	// Cancel returns the cancelled job; STATE_CONFLICT if it is too late.
	Cancel(ctx context.Context, ref job.Ref) (*job.Job, error)
}

// DatabaseWaits records imports that wait for the database.
type DatabaseWaits interface {
	// Since returns since when a job waits that has made no progress after a time, or nil.
	Since(ctx context.Context, id job.ID, progress time.Time) (*time.Time, error)
}

// Dependencies are the dependencies of the handlers; all are required unless they say otherwise.
type Dependencies struct {
	DB              *postgres.DB
	Types           *catalog.Catalog
	Concepts        mapping.Concepts // words for drafts of declarations; nil for none
	Imports         Imports
	Review          *review.Service
	Rows            Rows
	MappingPreviews *preview.Service
	Profiles        *profile.Service
	Declarations    Declarations
	Readings        *reading.Service
	Canceller       Canceller
	Exports         Exports
	Downloads       Downloads
	Drops           Drops
	Streams         StreamSigner
	StreamSwitch    StreamSwitch
	ErrorWorkbooks  ErrorWorkbooks
	Webhooks        WebhookChecker
	Secrets         SecretSealer
	WebhookQueue    WebhookQueue
	// Auth configures the sign-in.
	Auth Auth
	// Quotas are the default quotas of organisations.
	Quotas quota.Limits
	// MaxFileBytes is the size at which a file of unknown size is counted.
	MaxFileBytes int64
	// DatabaseAway is called for each request that is refused because the database is away; nil if
	// nobody counts them.
	DatabaseAway func()
	// DatabaseWaits knows which imports wait for the database; nil if nobody records it.
	DatabaseWaits DatabaseWaits
	// Health lists the health checks of the dependencies.
	Health []HealthCheck
	// Version is the version of the running program, for GET /health.
	Version string
	Log     *slog.Logger
}

// api holds the handlers.
type api struct {
	Dependencies
	meter     *quota.Meter
	erasures  *erasure.Service
	deletions *deletion.Service
	// idleTimeout is how long a transaction that writes a file may wait for its reader; 0 is the
	// default of all transactions.
	idleTimeout time.Duration
}

// New returns the handler of all routes.
func New(d Dependencies) (http.Handler, error) {
	if d.DB == nil || d.Types == nil || d.Imports == nil || d.Review == nil || d.Rows == nil || d.MappingPreviews == nil || d.Profiles == nil || d.Declarations == nil || d.Readings == nil || d.Canceller == nil || d.Exports == nil || d.Downloads == nil || d.Drops == nil || d.Streams == nil || d.ErrorWorkbooks == nil || d.Webhooks == nil || d.Secrets == nil || d.WebhookQueue == nil || d.Log == nil {
		return nil, errors.New("http api: missing dependency")
	}
	if err := d.Quotas.Validate(); err != nil {
		return nil, fmt.Errorf("http api: %w", err)
	}
	erasures, err := erasure.New(d.DB, d.Types.Types(), d.Log)
	if err != nil {
		return nil, fmt.Errorf("http api: %w", err)
	}
	deletions, err := deletion.New(d.DB, d.Log)
	if err != nil {
		return nil, fmt.Errorf("http api: %w", err)
	}
	a := &api{Dependencies: d, meter: quota.NewMeter(d.DB, d.Quotas.RequestsPerMinute), erasures: erasures.WithDeclared(d.Types), deletions: deletions}
	return a.serve(a.routes(), maxInlineBytes), nil
}
