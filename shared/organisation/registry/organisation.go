package registry

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/problem"
)

// Organisation is a tenant of the installation.
type Organisation struct {
	ID            tenant.ID
	Name          string
	CreatedAt     time.Time
	UpdatedAt     time.Time
	DeactivatedAt *time.Time // since when no new imports and exports are accepted
	Quotas
	// MailDomains are confirmed to be the organisation's, and receive mail if its settings name
	// them. UnconfirmedMailDomains are named there and not confirmed.
	MailDomains, UnconfirmedMailDomains []string
	// WholeTables permits types for all tables and rows, without a grant: while the organisation is the
	// only one, or if an operator has allowed it.
	WholeTables bool
}

// Quotas are an organisation's own quotas; nil for the default. Package quota defines what
// each counts.
type Quotas struct {
	OpenImports       *int64 `json:"openImports"`
	AnnouncedBytes    *int64 `json:"announcedBytes"`
	OpenExports       *int64 `json:"openExports"`
	Streams           *int64 `json:"streams"`
	RequestsPerMinute *int64 `json:"requestsPerMinute"`
}

// validate adds the errors of the quotas to f.
func (q Quotas) validate(f *fieldErrors) {
	for _, one := range []struct {
		name  string
		limit *int64
	}{
		{"openImports", q.OpenImports}, {"announcedBytes", q.AnnouncedBytes}, {"openExports", q.OpenExports}, {"streams", q.Streams},
		{"requestsPerMinute", q.RequestsPerMinute},
	} {
		if one.limit != nil && *one.limit < 0 {
			f.add(one.name, "A whole number from 0, such as 100, or null for the default.")
		}
	}
}

// NewOrganisation contains the values of a new organisation.
type NewOrganisation struct {
	// ID is the value of the claim organisation_id in its callers' tokens; nil for the next
	// free one.
	ID   *tenant.ID `json:"id"`
	Name string     `json:"name"` // unique, ignoring case
	// Quotas are its own; nil members have the default.
	Quotas Quotas `json:"quotas"`
}

// maxID is the largest id that can be assigned to an organisation.
const maxID tenant.ID = 999_999_999_999

// Validate returns the errors of n, or nil.
func (n NewOrganisation) Validate() error {
	var faults fieldErrors
	if n.ID != nil && (!n.ID.Valid() || *n.ID > maxID) {
		faults.add("id", fmt.Sprintf("A whole number from 1 to %d, such as 12. Omit it to use the next free number.", maxID))
	}
	faults.checkName(n.Name, "Harbour Athletics")
	n.Quotas.validate(&faults)
	return faults.err()
}

// CreateOrganisation creates an organisation. If the id or the name exists, it returns the
// existing organisation and created is false.
func (s *Service) CreateOrganisation(ctx context.Context, by string, n NewOrganisation) (o *Organisation, created bool, err error) {
	if err := n.Validate(); err != nil {
		return nil, false, err
	}
	err = s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		o, created, err = s.store.CreateOrganisation(ctx, tx, n)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if created {
		s.audit(ctx, "organisation created", by, o.ID)
	}
	return o, created, nil
}

// Organisation returns the organisation of that id, or NOT_FOUND.
func (s *Service) Organisation(ctx context.Context, id tenant.ID) (o *Organisation, err error) {
	err = s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		o, err = s.store.Organisation(ctx, tx, id)
		return err
	})
	return o, err
}

// Organisations lists the organisations by id, and their total number.
func (s *Service) Organisations(ctx context.Context, p job.Page) (found []Organisation, total int64, err error) {
	err = s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		found, total, err = s.store.Organisations(ctx, tx, p)
		return err
	})
	return found, total, err
}

// RenameOrganisation changes the name of an organisation.
func (s *Service) RenameOrganisation(ctx context.Context, by string, id tenant.ID, name string) (*Organisation, error) {
	if err := (NewOrganisation{Name: name}).Validate(); err != nil {
		return nil, err
	}
	return s.updateOrganisation(ctx, "organisation renamed", by, id, func(tx pgx.Tx) (*Organisation, error) {
		return s.store.RenameOrganisation(ctx, tx, id, name)
	})
}

// SetQuotas replaces the quotas of an organisation, for future requests.
func (s *Service) SetQuotas(ctx context.Context, by string, id tenant.ID, q Quotas) (*Organisation, error) {
	var faults fieldErrors
	if q.validate(&faults); faults.err() != nil {
		return nil, faults.err()
	}
	return s.updateOrganisation(ctx, "quotas set", by, id, func(tx pgx.Tx) (*Organisation, error) {
		return s.store.SetQuotas(ctx, tx, id, q)
	})
}

// ConfirmMailDomains replaces the domains that are confirmed to be the organisation's.
func (s *Service) ConfirmMailDomains(ctx context.Context, by string, id tenant.ID, domains []string) (*Organisation, error) {
	if !settings.ValidDomains(domains) {
		var faults fieldErrors
		faults.add("mailDomains", settings.DomainRule)
		return nil, faults.err()
	}
	domains = slices.Compact(slices.Sorted(slices.Values(domains)))
	return s.updateOrganisation(ctx, "mail domains confirmed", by, id, func(tx pgx.Tx) (*Organisation, error) {
		return s.store.ConfirmMailDomains(ctx, tx, id, domains)
	})
}

// AllowWholeTables sets whether the organisation may declare types for all tables and rows, without a
// grant. Types that it has declared stay as they are.
func (s *Service) AllowWholeTables(ctx context.Context, by string, id tenant.ID, allowed bool) (*Organisation, error) {
	action := "whole tables forbidden"
	if allowed {
		action = "whole tables allowed"
	}
	return s.updateOrganisation(ctx, action, by, id, func(tx pgx.Tx) (*Organisation, error) {
		return s.store.AllowWholeTables(ctx, tx, id, allowed)
	})
}

// SetOrganisationActive enables or disables new imports and exports. Those in progress
// continue, and existing data can be read.
func (s *Service) SetOrganisationActive(ctx context.Context, by string, id tenant.ID, active bool) (*Organisation, error) {
	action := "organisation deactivated"
	if active {
		action = "organisation activated"
	}
	return s.updateOrganisation(ctx, action, by, id, func(tx pgx.Tx) (*Organisation, error) {
		return s.store.SetOrganisationActive(ctx, tx, id, active)
	})
}

func (s *Service) updateOrganisation(ctx context.Context, action, by string, id tenant.ID, how func(pgx.Tx) (*Organisation, error)) (o *Organisation, err error) {
	err = s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		o, err = how(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.audit(ctx, action, by, id)
	return o, nil
}

// OrganisationNotFound is the error of an unknown organisation.
func OrganisationNotFound() error {
	return problem.New(problem.NotFound, "No organisation with this ID exists.")
}
