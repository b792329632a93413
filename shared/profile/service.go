package profile

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Store keeps profiles. Creating and saving are ENTITY_EXISTS where another profile of
// the type has the name, or takes the same files by itself.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	CountProfiles(ctx context.Context, tx pgx.Tx, importType string) (int64, error)
	CreateProfile(ctx context.Context, tx pgx.Tx, p *Profile, fingerprint string) (*Profile, error)
	// LockProfile returns the profile, which nobody else can change until the
	// transaction ends, or NOT_FOUND.
	LockProfile(ctx context.Context, tx pgx.Tx, id job.ProfileID) (*Profile, error)
	ProfileVersion(ctx context.Context, tx pgx.Tx, id job.ProfileID, number int) (*Version, error)
	// AddProfileVersion makes the profile's version the one in use. Of the earlier ones
	// it drops those before the last keep ones.
	AddProfileVersion(ctx context.Context, tx pgx.Tx, p *Profile, fingerprint string, keep int) (*Profile, error)
	DeleteProfile(ctx context.Context, tx pgx.Tx, id job.ProfileID) error
	// OpenImportsOf is how many imports have not ended that the profile is for.
	OpenImportsOf(ctx context.Context, tx pgx.Tx, id job.ProfileID) (int64, error)
	Imports
	SettingsStore
}

// Imports keeps imports, and what their files were read by.
type Imports interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	CellMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedCell, error)
}

// Types finds import types.
type Types interface {
	ByName(name string) (entity.Type, bool)
}

// Service makes and changes profiles.
type Service struct {
	store       Store
	types       Types
	mailEnabled bool
}

// New returns a service. mails says whether anybody can be told of imports by mail.
func New(store Store, types Types, mails bool) *Service {
	return &Service{store: store, types: types, mailEnabled: mails}
}

// Caller is who asks.
type Caller struct {
	Organisation tenant.ID
	Name         string // as the token names them
}

// Draft is a profile to be made: of its parts, or of an import.
type Draft struct {
	ImportType string // "" with FromImport
	Name       string
	Auto       bool
	Headers    []string
	Mapping    json.RawMessage
	// FromImport is the import whose headers, mapping and source options it takes, or "".
	FromImport job.ID
	Notify     []string
}

// Create makes a profile.
func (s *Service) Create(ctx context.Context, by Caller, d Draft) (p *Profile, err error) {
	fresh, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("new profile id: %w", err)
	}
	err = s.store.InOrganisation(ctx, by.Organisation, func(tx pgx.Tx) error {
		p = &Profile{
			ID: job.ProfileID(fresh.String()), OrganisationID: by.Organisation, ImportType: d.ImportType,
			Version: Version{Number: 1, Name: d.Name, Auto: d.Auto, Headers: d.Headers, Mapping: d.Mapping, SavedBy: by.Name},
		}
		if err := s.copyFromImport(ctx, tx, p, d.FromImport); err != nil {
			return err
		}
		if err := s.check(p); err != nil {
			return err
		}
		if err := s.setRecipients(ctx, tx, p, d.Notify); err != nil {
			return err
		}
		n, err := s.store.CountProfiles(ctx, tx, p.ImportType)
		if err != nil {
			return err
		}
		if n >= MaxProfiles {
			return problem.New(problem.StateConflict, "An import type may have %d profiles. Delete one that is not needed any more.", MaxProfiles)
		}
		p, err = s.store.CreateProfile(ctx, tx, p, Fingerprint(p.Headers))
		return err
	})
	return p, err
}

func (s *Service) check(p *Profile) error {
	t, known := s.types.ByName(p.ImportType)
	if !known {
		return problem.New(problem.ImportTypeUnknown, "There is no import type %q.", entity.Shorten(p.ImportType)).
			With("importType", problem.ImportTypeUnknown, "One of those that GET /api/import-types lists.")
	}
	return p.validate(t.Declaration())
}

// Update is what is to become of a profile; what is nil stays.
type Update struct {
	Name       *string
	Auto       *bool
	Headers    []string
	Mapping    json.RawMessage
	FromImport job.ID // of the same type, as in Draft; or ""
	Notify     []string
}

// Update makes a new version of a profile. VERSION_CHANGED if the one in use is not the
// expected one: somebody else has changed it meanwhile.
func (s *Service) Update(ctx context.Context, by Caller, id job.ProfileID, expected int, c Update) (*Profile, error) {
	return s.addVersion(ctx, by, id, func(tx pgx.Tx, p *Profile) error {
		if p.Number != expected {
			return problem.New(problem.VersionChanged, "The profile has been changed meanwhile: its version is %d. Read it again.", p.Number)
		}
		p.SavedFrom = ""
		importType := p.ImportType
		if err := s.copyFromImport(ctx, tx, p, c.FromImport); err != nil {
			return err
		}
		if p.ImportType != importType {
			return problem.New(problem.EntityInvalid, "The import that fromImport names is one of %s.", p.ImportType).
				With("fromImport", problem.EntityInvalid, "An import of the profile's type.")
		}
		if c.Name != nil {
			p.Name = *c.Name
		}
		if c.Auto != nil {
			p.Auto = *c.Auto
		}
		if c.Headers != nil {
			p.Headers = c.Headers
		}
		if c.Mapping != nil {
			p.Mapping = c.Mapping
		}
		if c.Notify != nil {
			return s.setRecipients(ctx, tx, p, c.Notify)
		}
		return nil
	})
}

// Restore makes an earlier version the newest again. It keeps the profile's name, which
// another may have by now, and whom it tells.
func (s *Service) Restore(ctx context.Context, by Caller, id job.ProfileID, number int) (*Profile, error) {
	return s.addVersion(ctx, by, id, func(tx pgx.Tx, p *Profile) error {
		earlier, err := s.store.ProfileVersion(ctx, tx, id, number)
		if err != nil {
			return err
		}
		p.Auto, p.Headers, p.Mapping, p.SavedFrom = earlier.Auto, earlier.Headers, earlier.Mapping, earlier.SavedFrom
		return nil
	})
}

// addVersion makes the next version of a profile, as f changes it.
func (s *Service) addVersion(ctx context.Context, by Caller, id job.ProfileID, f func(pgx.Tx, *Profile) error) (p *Profile, err error) {
	err = s.store.InOrganisation(ctx, by.Organisation, func(tx pgx.Tx) error {
		if p, err = s.store.LockProfile(ctx, tx, id); err != nil {
			return err
		}
		if err := f(tx, p); err != nil {
			return err
		}
		if err := s.check(p); err != nil {
			return err
		}
		p.Number++
		p.SavedBy = by.Name
		p, err = s.store.AddProfileVersion(ctx, tx, p, Fingerprint(p.Headers), MaxVersions)
		return err
	})
	return p, err
}

// Delete removes a profile with its versions. Imports that have ended keep its name.
// STATE_CONFLICT while there are others.
func (s *Service) Delete(ctx context.Context, organisation tenant.ID, id job.ProfileID) error {
	return s.store.InOrganisation(ctx, organisation, func(tx pgx.Tx) error {
		if _, err := s.store.LockProfile(ctx, tx, id); err != nil {
			return err
		}
		open, err := s.store.OpenImportsOf(ctx, tx, id)
		if err != nil {
			return err
		}
		if open > 0 {
			return problem.New(problem.StateConflict, "The profile is in use: imports that have not ended: %d. Cancel them, or wait for their end.", open)
		}
		return s.store.DeleteProfile(ctx, tx, id)
	})
}
