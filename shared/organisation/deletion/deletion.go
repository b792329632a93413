// Package deletion deletes an organisation: all its rows in Loadbay's tables, and all its files.
//
// An administrator requests the deletion and confirms it with the organisation's name. If the
// organisation's plans are approved by another person, another person has to confirm. From then on
// nothing is accepted (ORG_DELETED), and Runner deletes in bounded steps of one transaction each, so
// that it can be interrupted at any time. The receipt remains. Rows in the tables of declared types
// belong to the owner of these tables and are kept.
//
// Tested here with a database; by shared/httpapi: the routes; and by infra/tests/e2e: the whole
// deletion on the local stack.
package deletion

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/apikey"
	"github.com/loadbay/loadbay/shared/problem"
)

// Deletion is the deletion of an organisation, and its receipt.
type Deletion struct {
	Organisation tenant.ID
	RequestedAt  time.Time
	RequestedBy  string // "" once it is completed
	OtherPerson  bool   // another person than RequestedBy has to confirm
	ConfirmedAt  *time.Time
	CompletedAt  *time.Time
	Rows         map[string]int64 // deleted rows by table
	Objects      int64            // deleted files
	Now          time.Time        // when it was read, by the database clock
}

// ConfirmWithin is how long a request can be confirmed.
const ConfirmWithin = 7 * 24 * time.Hour

// ExpiresAt returns until when the request can be confirmed.
func (d *Deletion) ExpiresAt() time.Time { return d.RequestedAt.Add(ConfirmWithin) }

// Store stores deletions.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	// OrganisationName returns the name, "" if the organisation does not exist.
	OrganisationName(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (string, error)
	// NeedsOtherPerson reports whether plans are approved by another person than their creator.
	NeedsOtherPerson(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (bool, error)
	// RequestDeletion creates the request or replaces one that is not confirmed.
	RequestDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID, by string, otherPerson bool) error
	// LockDeletion returns the deletion, locked until the transaction ends, or NOT_FOUND.
	LockDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (*Deletion, error)
	// Deletion is LockDeletion without the lock.
	Deletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (*Deletion, error)
	ConfirmDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error
	WithdrawDeletion(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error
}

// Service accepts requests for deletions.
type Service struct {
	store Store
	log   *slog.Logger
}

// New returns the service.
func New(store Store, log *slog.Logger) (*Service, error) {
	if store == nil || log == nil {
		return nil, errors.New("deletion: missing dependency")
	}
	return &Service{store: store, log: log}, nil
}

// State returns the deletion and the name with which it is confirmed, "" once the organisation
// does not exist any more; NOT_FOUND if none was requested.
func (s *Service) State(ctx context.Context, organisation tenant.ID) (d *Deletion, name string, err error) {
	err = s.store.InOrganisation(ctx, organisation, func(tx pgx.Tx) (err error) {
		if d, err = s.store.Deletion(ctx, tx, organisation); err != nil {
			return err
		}
		name, err = s.store.OrganisationName(ctx, tx, organisation)
		return err
	})
	return d, name, err
}

// Request requests the deletion for a person. A further request before the confirmation replaces
// the first.
func (s *Service) Request(ctx context.Context, organisation tenant.ID, by string) error {
	if err := checkPerson(by); err != nil {
		return err
	}
	err := s.store.InOrganisation(ctx, organisation, func(tx pgx.Tx) error {
		if _, err := s.name(ctx, tx, organisation); err != nil {
			return err
		}
		d, err := s.store.LockDeletion(ctx, tx, organisation)
		if err == nil && d.ConfirmedAt != nil {
			return problem.New(problem.StateConflict, "The deletion of this organisation is already confirmed.")
		}
		if err != nil && problem.CodeOf(err) != problem.NotFound {
			return err
		}
		other, err := s.store.NeedsOtherPerson(ctx, tx, organisation)
		if err != nil {
			return err
		}
		return s.store.RequestDeletion(ctx, tx, organisation, by, other)
	})
	return s.audit(ctx, "organisation deletion requested", organisation, by, err)
}

// Withdraw withdraws a request that is not confirmed.
func (s *Service) Withdraw(ctx context.Context, organisation tenant.ID, by string) error {
	err := s.store.InOrganisation(ctx, organisation, func(tx pgx.Tx) error {
		d, err := s.store.LockDeletion(ctx, tx, organisation)
		if err != nil {
			return err
		}
		if d.ConfirmedAt != nil {
			return problem.New(problem.StateConflict, "The deletion of this organisation is confirmed and cannot be withdrawn.")
		}
		return s.store.WithdrawDeletion(ctx, tx, organisation)
	})
	return s.audit(ctx, "organisation deletion withdrawn", organisation, by, err)
}

// Confirm confirms the deletion with the organisation's name. It returns NOT_FOUND without a
// request, STATE_CONFLICT if it has expired, PARAMETER_INVALID for another name, and
// APPROVAL_BY_OTHER if another person has to confirm. A repeated confirmation changes nothing.
func (s *Service) Confirm(ctx context.Context, organisation tenant.ID, by, name string) error {
	if err := checkPerson(by); err != nil {
		return err
	}
	confirmed := false
	err := s.store.InOrganisation(ctx, organisation, func(tx pgx.Tx) error {
		d, err := s.store.LockDeletion(ctx, tx, organisation)
		if err != nil || d.ConfirmedAt != nil {
			return err
		}
		if d.Now.After(d.ExpiresAt()) {
			return problem.New(problem.StateConflict, "The request is too old to be confirmed. Request the deletion again.")
		}
		if err := s.checkName(ctx, tx, organisation, name); err != nil {
			return err
		}
		other, err := s.store.NeedsOtherPerson(ctx, tx, organisation)
		if err != nil {
			return err
		}
		if (other || d.OtherPerson) && by == d.RequestedBy {
			return problem.New(problem.ApprovalByOther, "Another person must confirm the deletion. Ask a colleague with the same scope.")
		}
		confirmed = true
		return s.store.ConfirmDeletion(ctx, tx, organisation)
	})
	if !confirmed {
		return err
	}
	return s.audit(ctx, "organisation deletion confirmed", organisation, by, err)
}

func (s *Service) checkName(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string) error {
	actual, err := s.name(ctx, tx, organisation)
	if err == nil && name != actual {
		return problem.New(problem.ParameterInvalid, "This is not the name of the organisation.").
			With("name", problem.ParameterInvalid, "The exact name of the organisation.")
	}
	return err
}

// name returns the organisation's name, or ORG_REQUIRED if it does not exist.
func (s *Service) name(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (string, error) {
	name, err := s.store.OrganisationName(ctx, tx, organisation)
	if err == nil && name == "" {
		err = problem.New(problem.OrgRequired, "Unknown organisation. Ask your administrator to create it.")
	}
	return name, err
}

// checkPerson refuses callers who are not persons: an API key could delete what its creator may not.
func checkPerson(by string) error {
	if by == "" || strings.HasPrefix(by, apikey.SubjectPrefix) {
		return problem.New(problem.ScopeRequired, "Only a person can delete an organisation. Sign in as a person.")
	}
	return nil
}

// audit logs a successful action.
func (s *Service) audit(ctx context.Context, action string, organisation tenant.ID, by string, err error) error {
	if err == nil {
		s.log.InfoContext(ctx, "administrator", "action", action, "by", by, "of_organisation", organisation)
	}
	return err
}
