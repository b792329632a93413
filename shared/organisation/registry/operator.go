// Package registry manages the organisations of an installation and their reference data, for
// the operator.
//
// Names make creation idempotent: a repeated request returns what the first one created.
//
// Tested by shared/httpapi and shared/postgres: the routes over a real database, and the role.
package registry

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Store stores organisations and entries. It connects as the role loadbay_operator.
type Store interface {
	// InOrganisation and AcrossOrganisations run f in a transaction of one organisation,
	// and of none.
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error

	// CreateOrganisation also returns an existing one with the id or the name.
	CreateOrganisation(ctx context.Context, tx pgx.Tx, n NewOrganisation) (o *Organisation, created bool, err error)
	Organisation(ctx context.Context, tx pgx.Tx, id tenant.ID) (*Organisation, error)
	Organisations(ctx context.Context, tx pgx.Tx, p job.Page) ([]Organisation, int64, error)
	RenameOrganisation(ctx context.Context, tx pgx.Tx, id tenant.ID, name string) (*Organisation, error)
	SetQuotas(ctx context.Context, tx pgx.Tx, id tenant.ID, q Quotas) (*Organisation, error)
	ConfirmMailDomains(ctx context.Context, tx pgx.Tx, id tenant.ID, domains []string) (*Organisation, error)
	AllowWholeTables(ctx context.Context, tx pgx.Tx, id tenant.ID, allowed bool) (*Organisation, error)
	SetOrganisationActive(ctx context.Context, tx pgx.Tx, id tenant.ID, active bool) (*Organisation, error)

	// CreateEntry also returns an existing one with the name.
	CreateEntry(ctx context.Context, tx pgx.Tx, in Location, e Entry) (kept *Entry, created bool, err error)
	Entry(ctx context.Context, tx pgx.Tx, in Location, id int64) (*Entry, error)
	Entries(ctx context.Context, tx pgx.Tx, in Location, p job.Page) ([]Entry, int64, error)
	UpdateEntry(ctx context.Context, tx pgx.Tx, in Location, e Entry) (*Entry, error)
}

// Service carries out an operator's requests, and logs each change with its ids and the
// person, but without values.
type Service struct {
	store Store
	log   *slog.Logger
}

// New returns the service.
func New(store Store, log *slog.Logger) *Service { return &Service{store, log} }

// audit logs a change. by is the subject of the caller's token.
func (s *Service) audit(ctx context.Context, action, by string, organisation tenant.ID, more ...any) {
	s.log.InfoContext(ctx, "operator", append([]any{"action", action, "by", by, "of_organisation", organisation}, more...)...)
}
