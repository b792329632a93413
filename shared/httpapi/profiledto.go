package httpapi

import (
	"encoding/json"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/profile"
)

// profileVersion is a version of a profile on the wire, without its mapping.
type profileVersion struct {
	Version   int       `json:"version"`
	Name      string    `json:"name"`
	Auto      bool      `json:"auto"`
	Headers   []string  `json:"headers"`
	SavedFrom *job.ID   `json:"savedFrom"` // the import that it was saved from
	SavedBy   *string   `json:"savedBy"`   // as the token names them
	SavedAt   time.Time `json:"savedAt"`
}

func toProfileVersion(v *profile.Version) profileVersion {
	return profileVersion{
		Version: v.Number, Name: v.Name, Auto: v.Auto, Headers: sliceOrEmpty(v.Headers), SavedFrom: nilIfZero(v.SavedFrom), SavedBy: nilIfZero(v.SavedBy), SavedAt: v.SavedAt.UTC(),
	}
}

// profileVersionDocument is a version with its mapping.
type profileVersionDocument struct {
	profileVersion
	Mapping json.RawMessage `json:"mapping"`
}

// profileSummary is a profile on the wire, without its mapping.
type profileSummary struct {
	ID         job.ProfileID `json:"id"`
	ImportType string        `json:"importType"`
	CreatedAt  time.Time     `json:"createdAt"`
	profileVersion
}

func toProfileSummary(p *profile.Profile) profileSummary {
	return profileSummary{ID: p.ID, ImportType: p.ImportType, CreatedAt: p.CreatedAt.UTC(), profileVersion: toProfileVersion(&p.Version)}
}

// profileDocument is a profile on the wire.
type profileDocument struct {
	profileSummary
	Mapping json.RawMessage `json:"mapping"`
	Notify  []string        `json:"notify"`
}

func toProfile(p *profile.Profile) profileDocument {
	return profileDocument{toProfileSummary(p), p.Mapping, sliceOrEmpty(p.Notify)}
}

// usedProfile is the profile that an import is read by, on the wire.
type usedProfile struct {
	ID       *job.ProfileID    `json:"id"` // null once it is deleted
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

// profileOffer is a profile that fits a file somewhat, on the wire.
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
