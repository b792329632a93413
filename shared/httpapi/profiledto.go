package httpapi

import (
	"encoding/json"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/profile"
)

// profileVersion is the JSON form of a version of a profile, without its mapping.
type profileVersion struct {
	Version   int       `json:"version"`
	Name      string    `json:"name"`
	Auto      bool      `json:"auto"`
	Headers   []string  `json:"headers"`
	SavedFrom *job.ID   `json:"savedFrom"` // the import from which it was saved
	SavedBy   *string   `json:"savedBy"`   // subject of the token
	SavedAt   time.Time `json:"savedAt"`
	job.StoredOptions
}

func toProfileVersion(v *profile.Version) profileVersion {
	return profileVersion{
		Version: v.Number, Name: v.Name, Auto: v.Auto, Headers: sliceOrEmpty(v.Headers), SavedFrom: nilIfZero(v.SavedFrom), SavedBy: nilIfZero(v.SavedBy), SavedAt: v.SavedAt.UTC(), StoredOptions: v.StoredOptions,
	}
}

// profileVersionDocument is a version with its mapping.
type profileVersionDocument struct {
	profileVersion
	Mapping json.RawMessage `json:"mapping"`
}

// profileSummary is the JSON form of a profile, without its mapping.
type profileSummary struct {
	ID         job.ProfileID `json:"id"`
	ImportType string        `json:"importType"`
	CreatedAt  time.Time     `json:"createdAt"`
	profileVersion
}

func toProfileSummary(p *profile.Profile) profileSummary {
	return profileSummary{ID: p.ID, ImportType: p.ImportType, CreatedAt: p.CreatedAt.UTC(), profileVersion: toProfileVersion(&p.Version)}
}

// profileDocument is the JSON form of a profile.
type profileDocument struct {
	profileSummary
	Mapping json.RawMessage `json:"mapping"`
	Notify  []string        `json:"notify"`
}

func toProfile(p *profile.Profile) profileDocument {
	return profileDocument{toProfileSummary(p), p.Mapping, sliceOrEmpty(p.Notify)}
}

// usedProfile is the JSON form of an import's profile.
type usedProfile struct {
	ID       *job.ProfileID    `json:"id"` // null once the profile is deleted
	Name     string            `json:"name"`
	Version  int               `json:"version"`
	ChosenBy job.ProfileChoice `json:"chosenBy"`
}

func toUsedProfile(p *job.UsedProfile) *usedProfile {
	if p == nil {
		return nil
	}
	return &usedProfile{ID: nilIfZero(p.ID), Name: p.Name, Version: p.Version, ChosenBy: p.Choice}
}

// profileOffer is the JSON form of a profile that matches a file at least partly.
type profileOffer struct {
	ID    job.ProfileID `json:"id"`
	Name  string        `json:"name"`
	Score float64       `json:"score"`
}

func toProfileOffers(offers []profile.Offer) []profileOffer {
	out := make([]profileOffer, len(offers))
	for i, o := range offers {
		out[i] = profileOffer{ID: o.ID, Name: o.Name, Score: roundScore(o.Score)}
	}
	return out
}
