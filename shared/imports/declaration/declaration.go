// Package declaration manages the import types that organisations declare for tables of their own.
// A type has versions, which never change: an import keeps the one that it started with. A type is
// retired, never deleted, because imports, plans and changes refer to it.
//
// Tested by shared/httpapi: types through the API, on a real database.
package declaration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/imports/tablegrant"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Store stores declared types.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	// LockQuotas waits for other transactions of the organisation that count against its quotas.
	LockQuotas(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error
	CountTypes(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (int64, error)
	// LockType locks a type until the transaction ends, and returns its version in use, or nil.
	LockType(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string) (*declared.Version, error)
	TypeVersion(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, number int) (*declared.Version, error)
	CreateType(ctx context.Context, tx pgx.Tx, organisation tenant.ID, v *declared.Version) error
	AddTypeVersion(ctx context.Context, tx pgx.Tx, organisation tenant.ID, v *declared.Version) error
	RetireType(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, retired bool) error
	// MayUseWholeTables reports whether the organisation needs no grants.
	MayUseWholeTables(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (bool, error)
	TableGrants(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]tablegrant.Grant, error)
	// RecordTableGrants stores the grants that a type uses, of an organisation that needs none.
	RecordTableGrants(ctx context.Context, tx pgx.Tx, organisation tenant.ID, by string, grants []tablegrant.Grant) error
}

// Types knows the compiled types, and what declarations fit.
type Types interface {
	ByName(name string) (entity.Type, bool)
	CheckDeclared(d *declared.Declaration, t *pgtable.Table) error
}

// Service creates, changes and retires declared types.
type Service struct {
	store Store
	types Types
	log   *slog.Logger
}

// New returns a service.
func New(store Store, types Types, log *slog.Logger) *Service {
	return &Service{store: store, types: types, log: log}
}

// Caller is who sends a request.
type Caller struct {
	Organisation tenant.ID
	Name         string // as in the token
}

// Create adds a type. ENTITY_EXISTS if the organisation has one with its name.
func (s *Service) Create(ctx context.Context, by Caller, source []byte) (v *declared.Version, err error) {
	d, err := s.parse(source)
	if err != nil {
		return nil, err
	}
	err = s.store.InOrganisation(ctx, by.Organisation, func(tx pgx.Tx) error {
		v, err = s.create(ctx, tx, by, d, source)
		return err
	})
	if err == nil {
		s.audit(ctx, "import type saved", by, v)
	}
	return v, err
}

// Apply gives a type the content of a declaration: it creates the type, or adds a version if the
// declaration or the table differs from the version in use. A retired type is in use again.
// expected is the version that the caller has read, or 0 if it expects no type; VERSION_CHANGED if
// another one is in use. With dryRun nothing is saved, and the result is what would be.
func (s *Service) Apply(ctx context.Context, by Caller, name string, expected int, dryRun bool, source []byte) (v *declared.Version, created bool, err error) {
	d, err := s.parse(source)
	if err != nil {
		return nil, false, err
	}
	if d.Name != name {
		return nil, false, problem.New(problem.DeclarationInvalid, "The declaration has another name: %s. A type cannot be renamed; create another one.", d.Name).
			With("name", problem.DeclarationInvalid, "The name in the path.")
	}
	err = s.store.InOrganisation(ctx, by.Organisation, func(tx pgx.Tx) error {
		now, err := s.store.LockType(ctx, tx, by.Organisation, name)
		if err != nil {
			return err
		}
		switch {
		case now != nil:
			v, err = s.change(ctx, tx, by, now, expected, d, source)
		case expected == 0:
			created = true
			v, err = s.create(ctx, tx, by, d, source)
		default:
			err = notFound(name)
		}
		if err == nil && dryRun {
			err = errDryRun
		}
		return err
	})
	switch {
	case errors.Is(err, errDryRun):
		err = nil
	case err == nil:
		s.audit(ctx, "import type saved", by, v)
	}
	return v, created, err
}

// errDryRun rolls the transaction back.
var errDryRun = errors.New("dry run")

func (s *Service) create(ctx context.Context, tx pgx.Tx, by Caller, d *declared.Declaration, source []byte) (*declared.Version, error) {
	adopted, err := s.adopt(ctx, tx, by, d, source)
	if err != nil {
		return nil, err
	}
	if err := s.store.LockQuotas(ctx, tx, by.Organisation); err != nil {
		return nil, err
	}
	n, err := s.store.CountTypes(ctx, tx, by.Organisation)
	if err != nil {
		return nil, err
	}
	if n >= declared.MaxTypes {
		return nil, problem.New(problem.TooManyTypes, "An organisation can have at most %d types, with the retired ones. Change one of them instead.", declared.MaxTypes)
	}
	if err := s.store.CreateType(ctx, tx, by.Organisation, &declared.Version{Number: 1, Declaration: d, Adopted: adopted, SavedBy: by.Name}); err != nil {
		return nil, err
	}
	return s.store.TypeVersion(ctx, tx, by.Organisation, d.Name, 0)
}

func (s *Service) change(ctx context.Context, tx pgx.Tx, by Caller, now *declared.Version, expected int, d *declared.Declaration, source []byte) (*declared.Version, error) {
	if expected != now.Number {
		return nil, problem.New(problem.VersionChanged, "The type was changed in the meantime; its version is now %d. Reload it and try again.", now.Number)
	}
	adopted, err := s.adopt(ctx, tx, by, d, source)
	if err != nil {
		return nil, err
	}
	same, err := sameContent(d, now.Declaration)
	if err != nil {
		return nil, err
	}
	switch {
	case !same || adopted.Fingerprint() != now.Adopted.Fingerprint():
		err = s.store.AddTypeVersion(ctx, tx, by.Organisation, &declared.Version{Number: now.Number + 1, Declaration: d, Adopted: adopted, SavedBy: by.Name})
	case now.RetiredAt != nil:
		err = s.store.RetireType(ctx, tx, by.Organisation, d.Name, false)
	default:
		return now, nil
	}
	if err != nil {
		return nil, err
	}
	return s.store.TypeVersion(ctx, tx, by.Organisation, d.Name, 0)
}

// sameContent compares declarations without regard to the order of their keys.
func sameContent(a, b *declared.Declaration) (bool, error) {
	first, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("encode declaration: %w", err)
	}
	second, err := json.Marshal(b)
	if err != nil {
		return false, fmt.Errorf("encode declaration: %w", err)
	}
	return string(first) == string(second), nil
}

// audit logs an action of a person after it has been committed.
func (s *Service) audit(ctx context.Context, action string, by Caller, v *declared.Version) {
	s.log.InfoContext(ctx, "audit", "action", action, "by", by.Name, "of_organisation", by.Organisation, "import_type", v.Declaration.Name, "type_version", v.Number)
}

// Retire retires a type: no import can start with it. Imports that have started are finished, and can
// be undone.
func (s *Service) Retire(ctx context.Context, by Caller, name string) (v *declared.Version, err error) {
	err = s.store.InOrganisation(ctx, by.Organisation, func(tx pgx.Tx) error {
		now, err := s.store.LockType(ctx, tx, by.Organisation, name)
		if err != nil {
			return err
		}
		if now == nil {
			return notFound(name)
		}
		if err := s.store.RetireType(ctx, tx, by.Organisation, name, true); err != nil {
			return err
		}
		v, err = s.store.TypeVersion(ctx, tx, by.Organisation, name, 0)
		return err
	})
	if err == nil {
		s.audit(ctx, "import type retired", by, v)
	}
	return v, err
}

func notFound(name string) error {
	return problem.New(problem.NotFound, "Your organisation has no declared type %q.", entity.Shorten(name))
}

func (s *Service) parse(source []byte) (*declared.Declaration, error) {
	d, err := declared.Parse(source)
	if err != nil {
		return nil, err
	}
	if _, shipped := s.types.ByName(d.Name); shipped {
		return nil, declared.Locate(source, invalid("name", fmt.Sprintf("The name %s is that of a type that comes with Loadbay. Choose another name.", d.Name)))
	}
	return d, nil
}

func invalid(path, message string) *problem.Error {
	return problem.New(problem.DeclarationInvalid, "The declaration has 1 error. Correct it and try again.").With(path, problem.DeclarationInvalid, message)
}

// adopt reads the table of a declaration and checks that the declaration fits it.
func (s *Service) adopt(ctx context.Context, tx pgx.Tx, by Caller, d *declared.Declaration, source []byte) (*pgtable.Table, error) {
	if d.Target.Database != "" {
		return nil, declared.Locate(source, invalid("target.database", "Tables in other databases are not supported yet. Remove database."))
	}
	schema, name, _ := declared.SplitTable(d.Target.Table)
	if pgtable.IsReserved(schema) {
		return nil, declared.Locate(source, invalid("target.table", "Tables in schema "+schema+" cannot be adopted. Use a table of your own."))
	}
	whole, err := s.CheckGrants(ctx, tx, by.Organisation, d)
	if err != nil {
		return nil, err
	}
	table, err := pgtable.Read(ctx, tx, schema, name)
	if errors.Is(err, pgtable.ErrNoTable) {
		return nil, declared.Locate(source, invalid("target.table", "The table "+d.Target.Table+" does not exist. Write schema.table as in the catalogue."))
	}
	if err != nil {
		return nil, fmt.Errorf("read table of type: %w", err)
	}
	if err := s.types.CheckDeclared(d, table); err != nil {
		return nil, declared.Locate(source, err)
	}
	if !whole && !declared.RestrictedByPolicies(d, table) {
		return nil, declared.NotRestricted()
	}
	if err := s.checkReferences(ctx, tx, whole, d, table); err != nil {
		return nil, declared.Locate(source, err)
	}
	if whole {
		return table, s.store.RecordTableGrants(ctx, tx, by.Organisation, by.Name, tablegrant.Uses(d))
	}
	return table, nil
}

// CheckGrants refuses a declaration of tables and rows that an operator has not granted to the
// organisation. whole reports that it needs no grants.
func (s *Service) CheckGrants(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *declared.Declaration) (whole bool, err error) {
	if whole, err = s.store.MayUseWholeTables(ctx, tx, organisation); err != nil || whole {
		return whole, err
	}
	grants, err := s.store.TableGrants(ctx, tx, organisation)
	if err != nil {
		return false, err
	}
	return false, tablegrant.Check(d, grants)
}
