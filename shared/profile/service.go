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

// Store stores profiles. Creating and saving return ENTITY_EXISTS if another profile of the
// type has the same name or automatically applies to the same files.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	// LockQuotas waits for other transactions of the organisation that count against its quotas.
	LockQuotas(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error
	CountProfiles(ctx context.Context, tx pgx.Tx, importType string) (int64, error)
	CreateProfile(ctx context.Context, tx pgx.Tx, p *Profile, fingerprint string) (*Profile, error)
	// LockProfile returns the profile and locks it until the transaction ends, or returns
	// NOT_FOUND.
	LockProfile(ctx context.Context, tx pgx.Tx, id job.ProfileID) (*Profile, error)
	ProfileVersion(ctx context.Context, tx pgx.Tx, id job.ProfileID, number int) (*Version, error)
	// AddProfileVersion adds the profile's version as the one in use. It deletes all versions
	// but the last keep ones.
	AddProfileVersion(ctx context.Context, tx pgx.Tx, p *Profile, fingerprint string, keep int) (*Profile, error)
	DeleteProfile(ctx context.Context, tx pgx.Tx, id job.ProfileID) error
	// OpenImportsOf returns the number of unfinished imports that use the profile.
	OpenImportsOf(ctx context.Context, tx pgx.Tx, id job.ProfileID) (int64, error)
	Imports
	SettingsStore
}

// Imports loads imports with the mappings and reading options that were used for their files.
type Imports interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	CellMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedCell, error)
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// Service creates and updates profiles.
type Service struct {
	store       Store
	types       Types
	mailEnabled bool
}

// New returns a service. mails reports whether e-mail notifications are available.
func New(store Store, types Types, mails bool) *Service {
	return &Service{store: store, types: types, mailEnabled: mails}
}

// Caller identifies the author of a request.
type Caller struct {
	Organisation tenant.ID
	Name         string // as in the token
}

// Draft is a profile to create, either from its parts or from an import.
type Draft struct {
	ImportType string // "" with FromImport
	Name       string
	Auto       bool
	Headers    []string
	Mapping    json.RawMessage
	// FromImport is the import that provides the headers, mapping and reading options, or "".
	FromImport job.ID
	Notify     []string
	job.StoredOptions
}

// Create creates a profile.
func (s *Service) Create(ctx context.Context, by Caller, d Draft) (p *Profile, err error) {
	fresh, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("create profile ID: %w", err)
	}
	err = s.store.InOrganisation(ctx, by.Organisation, func(tx pgx.Tx) error {
		p = &Profile{
			ID: job.ProfileID(fresh.String()), OrganisationID: by.Organisation, ImportType: d.ImportType,
			Version: Version{Number: 1, Name: d.Name, Auto: d.Auto, Headers: d.Headers, Mapping: d.Mapping, StoredOptions: d.StoredOptions, SavedBy: by.Name},
		}
		if err := s.copyFromImport(ctx, tx, p, d.FromImport); err != nil {
			return err
		}
		if err := s.check(ctx, tx, p); err != nil {
			return err
		}
		if err := s.setRecipients(ctx, tx, p, d.Notify); err != nil {
			return err
		}
		if err := s.store.LockQuotas(ctx, tx, by.Organisation); err != nil {
			return err
		}
		n, err := s.store.CountProfiles(ctx, tx, p.ImportType)
		if err != nil {
			return err
		}
		if n >= maxProfiles {
			return problem.New(problem.StateConflict, "An import type can have at most %d profiles. Delete a profile that is no longer needed.", maxProfiles)
		}
		p, err = s.store.CreateProfile(ctx, tx, p, Fingerprint(p.Headers))
		return err
	})
	return p, err
}

func (s *Service) check(ctx context.Context, tx pgx.Tx, p *Profile) error {
	t, err := s.types.Type(ctx, tx, p.OrganisationID, p.ImportType, 0)
	if problem.CodeOf(err) == problem.ImportTypeUnknown {
		return problem.From(err).With("importType", problem.ImportTypeUnknown, "One of the types in GET /api/import-types.")
	}
	if err != nil {
		return err
	}
	return p.validate(t.Declaration())
}

// Update is a change of a profile; nil fields stay unchanged.
type Update struct {
	Name       *string
	Auto       *bool
	Headers    []string
	Mapping    json.RawMessage
	FromImport job.ID // of the same type, as in Draft; or ""
	Notify     []string
	Stored     json.RawMessage // the stored options to change; null removes one
}

// Update adds a new version of a profile. It returns VERSION_CHANGED if the version in use is
// not the expected one, because another request has changed it meanwhile.
func (s *Service) Update(ctx context.Context, by Caller, id job.ProfileID, expected int, c Update) (*Profile, error) {
	return s.addVersion(ctx, by, id, func(tx pgx.Tx, p *Profile) error {
		if p.Number != expected {
			return problem.New(problem.VersionChanged, "The profile was changed in the meantime; its version is now %d. Reload it and try again.", p.Number)
		}
		p.SavedFrom = ""
		importType := p.ImportType
		if err := s.copyFromImport(ctx, tx, p, c.FromImport); err != nil {
			return err
		}
		if p.ImportType != importType {
			return problem.New(problem.EntityInvalid, "The import in fromImport has another type: %s.", p.ImportType).
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
		if c.Stored != nil {
			if err := json.Unmarshal(c.Stored, &p.StoredOptions); err != nil {
				return problem.Wrap(err, problem.BadJSON, "The options of the profile are not valid: %s.", problem.DescribeJSON(err))
			}
		}
		if c.Notify != nil {
			return s.setRecipients(ctx, tx, p, c.Notify)
		}
		return nil
	})
}

// Restore adds a copy of an earlier version as the newest. It does not change the profile's name,
// because another profile may have the old one by now, nor its recipients.
func (s *Service) Restore(ctx context.Context, by Caller, id job.ProfileID, number int) (*Profile, error) {
	return s.addVersion(ctx, by, id, func(tx pgx.Tx, p *Profile) error {
		earlier, err := s.store.ProfileVersion(ctx, tx, id, number)
		if err != nil {
			return err
		}
		p.Auto, p.Headers, p.Mapping, p.SavedFrom = earlier.Auto, earlier.Headers, earlier.Mapping, earlier.SavedFrom
		p.StoredOptions = earlier.StoredOptions
		return nil
	})
}

// addVersion adds the next version of a profile, as modified by f.
func (s *Service) addVersion(ctx context.Context, by Caller, id job.ProfileID, f func(pgx.Tx, *Profile) error) (p *Profile, err error) {
	err = s.store.InOrganisation(ctx, by.Organisation, func(tx pgx.Tx) error {
		if p, err = s.store.LockProfile(ctx, tx, id); err != nil {
			return err
		}
		if err := f(tx, p); err != nil {
			return err
		}
		if err := s.check(ctx, tx, p); err != nil {
			return err
		}
		p.Number++
		p.SavedBy = by.Name
		p, err = s.store.AddProfileVersion(ctx, tx, p, Fingerprint(p.Headers), maxVersions)
		return err
	})
	return p, err
}

// Delete deletes a profile with its versions. Finished imports keep its name. It returns
// STATE_CONFLICT while unfinished imports use it.
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
			return problem.New(problem.StateConflict, "The profile is in use by unfinished imports: %d. Wait until they are finished, or cancel them.", open)
		}
		return s.store.DeleteProfile(ctx, tx, id)
	})
}
