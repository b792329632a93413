// Package profile manages profiles: named mappings, with reading options, for recurring files of
// the same source. A profile belongs to an organisation and an import type. It is applied when
// a request names it, when a file is dropped into its folder or, if it is marked auto, when a
// file has exactly its headers. Other profiles that partly match are offered and never applied.
//
// The newest version is in use. Versions are only added: an import records the version that was
// applied, and an earlier version is restored by saving it as the newest.
//
// Tested by shared/httpapi and shared/step too: profiles through the API, and their decisions
// on a real database.
package profile

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
)

// Profile is a profile with its version in use.
type Profile struct {
	ID             job.ProfileID
	OrganisationID tenant.ID
	ImportType     string
	CreatedAt      time.Time
	// Notify lists the e-mail addresses that are notified of each import that uses the profile, in
	// addition to those of the import. It is not part of versions, so a removed recipient
	// is not in any of them.
	Notify []string
	Version
}

// Version is one version of a profile's contents.
type Version struct {
	Number int // from 1
	Name   string
	Auto   bool // applied automatically to a file with exactly its headers
	// Headers are the headers of the original file, in order; nil if unknown.
	Headers []string
	// Mapping is a document.Document.
	Mapping json.RawMessage
	job.StoredOptions
	SavedFrom job.ID // the import that it was copied from, or ""
	SavedBy   string // the caller's name in the token; "" for a version that a migration created
	SavedAt   time.Time
}

// Document decodes the mapping.
func (v *Version) Document() (*document.Document, error) {
	doc, err := document.Parse(v.Mapping)
	if err != nil {
		return nil, fmt.Errorf("decode mapping of profile: %w", err)
	}
	return doc, nil
}

// UsedProfile returns the record that an import with this profile stores.
func (p *Profile) UsedProfile(choice job.ProfileChoice) *job.UsedProfile {
	return &job.UsedProfile{ID: p.ID, Name: p.Name, Version: p.Number, Choice: choice}
}

// NotFoundError is returned for a request that names an unknown profile.
func NotFoundError(name string) error {
	return problem.New(problem.ProfileUnknown, "No profile %q exists for this import type.", entity.Shorten(name)).
		With("profile", problem.ProfileUnknown, "The name of a profile in GET /api/profiles.")
}
