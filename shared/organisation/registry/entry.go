package registry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Kind is the kind of an entry.
type Kind uint8

// The kinds of entries.
const (
	Period         Kind = iota // period of memberships; has its first and last day
	MembershipType             // type of a membership
	Event                      // event with participants; may have its first day
	Category                   // a group of an event's participants
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [...]string{"membership period", "membership type", "event", "event category"}[k]
}

// Location identifies a list of entries: those of one kind of an organisation; categories also
// belong to an event, which is 0 for the others.
type Location struct {
	Organisation tenant.ID
	Kind         Kind
	Event        int64
}

// Entry is an entry of an organisation's reference data, to which its files refer.
type Entry struct {
	ID       int64
	Name     string
	StartsOn string // as 2026-01-31; "" for none
	EndsOn   string // likewise
}

// Validate returns the errors of an entry of that kind, or nil.
func (e Entry) Validate(k Kind) error {
	var faults fieldErrors
	faults.checkName(e.Name, [...]string{"2026", "Senior", "Harbour Half Marathon 2026", "Veterans"}[k])
	starts, ends := "2026-01-01", "2026-12-31"
	switch k {
	case Period:
		from, fromOK := faults.checkDay("startsOn", e.StartsOn, starts)
		to, toOK := faults.checkDay("endsOn", e.EndsOn, ends)
		if fromOK && toOK && to.Before(from) {
			faults.add("endsOn", "The same day as startsOn or later, such as "+ends+".")
		}
		return faults.err()
	case Event:
		if e.StartsOn != "" {
			faults.checkDay("startsOn", e.StartsOn, starts)
		}
	default:
		faults.unexpected("startsOn", e.StartsOn)
	}
	faults.unexpected("endsOn", e.EndsOn)
	return faults.err()
}

// CreateEntry creates an entry. If the name exists, it returns the existing entry and created
// is false.
func (s *Service) CreateEntry(ctx context.Context, by string, in Location, e Entry) (kept *Entry, created bool, err error) {
	if err := e.Validate(in.Kind); err != nil {
		return nil, false, err
	}
	err = s.inLocation(ctx, in, func(tx pgx.Tx) (err error) {
		kept, created, err = s.store.CreateEntry(ctx, tx, in, e)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if created {
		s.audit(ctx, in.Kind.String()+" created", by, in.Organisation, "id", kept.ID)
	}
	return kept, created, nil
}

// Entry returns the entry of that id, or NOT_FOUND.
func (s *Service) Entry(ctx context.Context, in Location, id int64) (e *Entry, err error) {
	err = s.inLocation(ctx, in, func(tx pgx.Tx) (err error) {
		e, err = s.store.Entry(ctx, tx, in, id)
		return err
	})
	return e, err
}

// Entries lists the entries of a location by id, and their total number.
func (s *Service) Entries(ctx context.Context, in Location, p job.Page) (found []Entry, total int64, err error) {
	err = s.inLocation(ctx, in, func(tx pgx.Tx) (err error) {
		found, total, err = s.store.Entries(ctx, tx, in, p)
		return err
	})
	return found, total, err
}

// UpdateEntry replaces the values of an entry.
func (s *Service) UpdateEntry(ctx context.Context, by string, in Location, e Entry) (kept *Entry, err error) {
	if err := e.Validate(in.Kind); err != nil {
		return nil, err
	}
	err = s.inLocation(ctx, in, func(tx pgx.Tx) (err error) {
		kept, err = s.store.UpdateEntry(ctx, tx, in, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.audit(ctx, in.Kind.String()+" updated", by, in.Organisation, "id", kept.ID)
	return kept, nil
}

// inLocation runs f in a transaction of the location's organisation, after checking that the
// location exists.
func (s *Service) inLocation(ctx context.Context, in Location, f func(pgx.Tx) error) error {
	return s.store.InOrganisation(ctx, in.Organisation, func(tx pgx.Tx) error {
		if _, err := s.store.Organisation(ctx, tx, in.Organisation); err != nil {
			return err
		}
		if in.Kind == Category {
			if _, err := s.store.Entry(ctx, tx, Location{Organisation: in.Organisation, Kind: Event}, in.Event); err != nil {
				return err
			}
		}
		return f(tx)
	})
}

// EntryNotFound is the error of an unknown entry.
func EntryNotFound(k Kind) error {
	return problem.New(problem.NotFound, "No %s with this ID exists.", k)
}
