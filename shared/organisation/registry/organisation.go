package registry

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Organisation is a tenant of the installation.
type Organisation struct {
	ID            tenant.ID
	Name          string
	CreatedAt     time.Time
	UpdatedAt     time.Time
	DeactivatedAt *time.Time // since then nothing new is imported or exported
	Quotas
}

// Quotas are what an organisation may take of what all share; nil for what all others
// may. Package quota says what each counts.
type Quotas struct {
	OpenImports       *int64 `json:"openImports"`
	AnnouncedBytes    *int64 `json:"announcedBytes"`
	OpenExports       *int64 `json:"openExports"`
	Streams           *int64 `json:"streams"`
	RequestsPerMinute *int64 `json:"requestsPerMinute"`
}

// validate enters what is wrong with the quotas.
func (q Quotas) validate(f *fieldErrors) {
	for _, one := range []struct {
		name  string
		limit *int64
	}{
		{"openImports", q.OpenImports}, {"announcedBytes", q.AnnouncedBytes}, {"openExports", q.OpenExports}, {"streams", q.Streams},
		{"requestsPerMinute", q.RequestsPerMinute},
	} {
		if one.limit != nil && *one.limit < 0 {
			f.add(one.name, "A whole number from 0, as in 100; null for what all others may.")
		}
	}
}

// NewOrganisation is what an organisation is made of.
type NewOrganisation struct {
	// ID is what the claim organisation_id of its callers' tokens says; nil for the
	// next one that is free.
	ID   *tenant.ID `json:"id"`
	Name string     `json:"name"` // no other organisation's, in whatever case
	// Quotas are its own; what is nil is as for all.
	Quotas Quotas `json:"quotas"`
}

// maxID is the largest id that an organisation can be given.
const maxID tenant.ID = 999_999_999_999

// Validate says what is wrong with it, or nil.
func (n NewOrganisation) Validate() error {
	var faults fieldErrors
	if n.ID != nil && (!n.ID.Valid() || *n.ID > maxID) {
		faults.add("id", fmt.Sprintf("A whole number from 1 to %d, as in 12; leave it out for the next one that is free.", maxID))
	}
	faults.checkName(n.Name, "Harbour Athletics")
	n.Quotas.validate(&faults)
	return faults.err()
}

// CreateOrganisation makes an organisation. One that has the id or the name already is
// returned as it is, and created is false.
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

// Organisations lists them by id, and how many there are.
func (s *Service) Organisations(ctx context.Context, p Page) (found []Organisation, total int64, err error) {
	err = s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		found, total, err = s.store.Organisations(ctx, tx, p)
		return err
	})
	return found, total, err
}

// RenameOrganisation gives it another name.
func (s *Service) RenameOrganisation(ctx context.Context, by string, id tenant.ID, name string) (*Organisation, error) {
	if err := (NewOrganisation{Name: name}).Validate(); err != nil {
		return nil, err
	}
	return s.updateOrganisation(ctx, "organisation renamed", by, id, func(tx pgx.Tx) (*Organisation, error) {
		return s.store.RenameOrganisation(ctx, tx, id, name)
	})
}

// SetQuotas replaces its quotas, for requests from now on.
func (s *Service) SetQuotas(ctx context.Context, by string, id tenant.ID, q Quotas) (*Organisation, error) {
	var faults fieldErrors
	if q.validate(&faults); faults.err() != nil {
		return nil, faults.err()
	}
	return s.updateOrganisation(ctx, "quotas set", by, id, func(tx pgx.Tx) (*Organisation, error) {
		return s.store.SetQuotas(ctx, tx, id, q)
	})
}

// SetOrganisationActive ends or begins that nothing new is imported or exported. What
// has begun ends as it would, and what there is can be read.
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

// OrganisationNotFound says that there is no such organisation.
func OrganisationNotFound() error {
	return problem.New(problem.NotFound, "There is no organisation with this id.")
}
