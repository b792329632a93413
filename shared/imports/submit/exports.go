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
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// ExportStore stores exports.
type ExportStore interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	CreateExport(ctx context.Context, tx pgx.Tx, e *job.Export) (*job.Export, error)
	Export(ctx context.Context, tx pgx.Tx, id job.ExportID) (*job.Export, error)
	// AnnotatedExport returns the latest export that annotates the file of an import, or nil.
	AnnotatedExport(ctx context.Context, tx pgx.Tx, of job.ID) (*job.Export, error)
	// LockQuotas prevents changes of the counted rows until the transaction ends.
	LockQuotas(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error
	ExportQuota(ctx context.Context, tx pgx.Tx, organisation tenant.ID, id job.ExportID, most quota.Limits) (quota.Exports, error)
}

// ExportQueue sends exports to the function that writes them.
type ExportQueue interface {
	SendExport(ctx context.Context, ref job.ExportRef) error
}

// Exports accepts exports: it checks the request, stores the export and queues it.
//
// A request that fails between the two has sent no response; a repetition with the same
// idempotency key queues the same export. An export that is queued twice is written twice
// but completed once.
type Exports struct {
	store  ExportStore
	queue  ExportQueue
	keys   IdempotencyKeys
	quotas quota.Limits
	log    *slog.Logger
}

// NewExports returns a service that enforces the limits.
func NewExports(store ExportStore, queue ExportQueue, keys IdempotencyKeys, most quota.Limits, log *slog.Logger) (*Exports, error) {
	if store == nil || queue == nil || keys == nil || log == nil {
		return nil, errors.New("submit exports: missing dependency")
	}
	if err := most.Validate(); err != nil {
		return nil, fmt.Errorf("submit exports: %w", err)
	}
	return &Exports{store: store, queue: queue, keys: keys, quotas: most, log: log}, nil
}

// ExportRequest is a request for an export.
type ExportRequest struct {
	OrganisationID tenant.ID
	RequestID      string
	Key            string // the idempotency key, or ""
	Type           *entity.Declaration
	Format         export.Format
	Fields         []string        // columns; empty for all
	Filters        json.RawMessage // see export.Select; may be empty
	annotatedJob   job.ID          // see job.Export
}

// AcceptedExport is an export that has been accepted.
type AcceptedExport struct {
	Export *job.Export
	// Repeated reports that an earlier request with the same key created the export.
	Repeated bool
	// KeyExpiresAt is when the key expires; zero without a key.
	KeyExpiresAt time.Time
}

// Accept accepts an export, once for each idempotency key.
func (s *Exports) Accept(ctx context.Context, r ExportRequest) (*AcceptedExport, error) {
	if len(r.Filters) == 0 || string(r.Filters) == "null" {
		r.Filters = json.RawMessage("{}")
	}
	if _, err := export.Select(r.Type, r.Fields, r.Filters); err != nil {
		return nil, err
	}
	return s.accept(ctx, r)
}

// ArchiveType is the type of the export of a whole organisation.
const ArchiveType = "ORGANISATION"

// Archive accepts the export of a whole organisation, once for each idempotency key. Type, Format, Fields
// and Filters of the request are not used.
func (s *Exports) Archive(ctx context.Context, r ExportRequest) (*AcceptedExport, error) {
	r.Type, r.Format, r.Fields, r.Filters = &entity.Declaration{Name: ArchiveType}, export.Archive, nil, json.RawMessage("{}")
	return s.accept(ctx, r)
}

func (s *Exports) accept(ctx context.Context, r ExportRequest) (*AcceptedExport, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("create export ID: %w", err)
	}
	if r.Key == "" {
		e, err := s.create(ctx, r, job.ExportID(id.String()))
		return &AcceptedExport{Export: e}, err
	}
	key := exportEndpoint + r.Key
	claim, err := claimKey(ctx, s.keys, r.OrganisationID, key, r.fingerprint(), id.String())
	if err != nil {
		return nil, err
	}
	if claim.Done {
		e, err := s.existing(ctx, r, job.ExportID(claim.ID))
		return &AcceptedExport{e, true, claim.Expires}, err
	}
	e, err := s.create(ctx, r, job.ExportID(claim.ID))
	finishKey(ctx, s.keys, s.log, r.OrganisationID, key, err)
	return &AcceptedExport{e, false, claim.Expires}, err
}

// exportEndpoint is the prefix of the idempotency keys of exports, which keeps them apart
// from those of imports. No caller's key contains a line end.
const exportEndpoint = "exports\n"

// ExportsPrefix is the key prefix of finished exports.
const ExportsPrefix = "exports/"

// create carries out a request. It is safe to repeat with the same id.
func (s *Exports) create(ctx context.Context, r ExportRequest, id job.ExportID) (*job.Export, error) {
	requested := &job.Export{
		ID: id, OrganisationID: r.OrganisationID, ImportType: r.Type.Name, TypeVersion: r.Type.Version, Format: string(r.Format), Fields: r.Fields, Filters: r.Filters,
		ObjectKey: fmt.Sprintf("%s%d/%s.%s", ExportsPrefix, r.OrganisationID, id, r.Format), RequestID: r.RequestID,
		Annotates: r.annotatedJob,
	}
	var e *job.Export
	err := s.store.InOrganisation(ctx, r.OrganisationID, func(tx pgx.Tx) (err error) {
		if err = s.checkQuotaLocked(ctx, tx, requested); err == nil {
			e, err = s.store.CreateExport(ctx, tx, requested)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.queue.SendExport(ctx, job.ExportRef{ExportID: id, OrganisationID: r.OrganisationID}); err != nil {
		return nil, err
	}
	s.log.InfoContext(telemetry.With(ctx, "export_id", id), "export accepted", "import_type", e.ImportType, "format", e.Format)
	return e, nil
}

// checkQuotaLocked rejects an export that exceeds its organisation's quota. Until the
// transaction ends, the organisation's other exports wait, so that they see this one.
func (s *Exports) checkQuotaLocked(ctx context.Context, tx pgx.Tx, e *job.Export) error {
	if err := s.store.LockQuotas(ctx, tx, e.OrganisationID); err != nil {
		return err
	}
	used, err := s.store.ExportQuota(ctx, tx, e.OrganisationID, e.ID, s.quotas)
	if err != nil {
		return err
	}
	return used.Check()
}

// existing returns the export that an earlier request with the same key created.
func (s *Exports) existing(ctx context.Context, r ExportRequest, id job.ExportID) (e *job.Export, err error) {
	err = s.store.InOrganisation(ctx, r.OrganisationID, func(tx pgx.Tx) (err error) {
		e, err = s.store.Export(ctx, tx, id)
		return err
	})
	if problem.CodeOf(err) == problem.NotFound {
		return nil, problem.New(problem.Gone, "The export created with this Idempotency-Key was deleted.")
	}
	return e, err
}

// fingerprint is equal for equivalent requests.
func (r *ExportRequest) fingerprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "POST /v1/exports %s %s %q %s", r.Type.Name, r.Format, r.Fields, r.Filters))
	return hex.EncodeToString(sum[:])
}
