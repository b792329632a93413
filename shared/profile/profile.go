// Package profile keeps profiles: named mappings, with the options of their sources, for
// files that come again from the same source. A profile belongs to an organisation and an
// import type, and is used where somebody names it, drops a file into its folder, or, if
// it is marked auto, where a file has exactly its headers. Any other that fits somewhat is
// offered and never applied.
//
// What is in use is the newest version. Versions are only added: an import says which one
// it was read by, and an earlier one is restored by making it the newest again.
//
// Tested by shared/httpapi and shared/step too: profiles through the API, and what they
// decide, on a real database.
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
	// Notify are the mail addresses that are told of each import that is read by it, beside
	// those of the import. No version has them: whoever is taken out is in none.
	Notify []string
	Version
}

// Version is what a profile says from one change to the next.
type Version struct {
	Number int // from 1
	Name   string
	Auto   bool // a file with exactly its headers is read by it, without being told
	// Headers are those of the file that it was made for, in order; none: not known.
	Headers []string
	// Mapping is a document.Document.
	Mapping   json.RawMessage
	SavedFrom job.ID // the import that it was saved from, or ""
	SavedBy   string // the caller, as the token names them; "" for what a migration made
	SavedAt   time.Time
}

// Document reads the mapping.
func (v *Version) Document() (*document.Document, error) {
	doc, err := document.Parse(v.Mapping)
	if err != nil {
		return nil, fmt.Errorf("mapping of profile: %w", err)
	}
	return doc, nil
}

// UsedProfile is the profile as an import keeps it that is read by it.
func (p *Profile) UsedProfile(choice job.ProfileChoice) *job.UsedProfile {
	return &job.UsedProfile{ID: p.ID, Name: p.Name, Version: p.Number, Choice: choice}
}

// NotFoundError is the error of a request that names a profile that there is not.
func NotFoundError(name string) error {
	return problem.New(problem.ProfileUnknown, "There is no profile %q for this import type.", entity.Shorten(name)).
		With("profile", problem.ProfileUnknown, "The name of one that GET /api/profiles lists.")
}
