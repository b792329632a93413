package profile

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/loadbay/loadbay/shared/job"
)

// AutoProfile contains the parts of an automatic profile that decide whether it applies to a file.
type AutoProfile struct {
	ID          job.ProfileID
	Name        string
	Version     int
	Fingerprint string
	Source      json.RawMessage // sheet.Options; nil without any
}

// Options returns the reading options as Version.Options does.
func (a *AutoProfile) Options(stated json.RawMessage) (json.RawMessage, error) {
	return mergeOptions(a.Source, stated)
}

// UsedProfile returns the record of the profile that an import it was applied to stores.
func (a *AutoProfile) UsedProfile() *job.UsedProfile {
	return &job.UsedProfile{ID: a.ID, Name: a.Name, Version: a.Version, Choice: job.ChosenByFingerprint}
}

// ProfileHeaders is a profile with the headers of its original file.
type ProfileHeaders struct {
	ID      job.ProfileID
	Name    string
	Headers []string
}

// Offer is a profile that partly matches a file.
type Offer struct {
	ID    job.ProfileID
	Name  string
	Score float64 // result of Score
}

const (
	// minOfferScore is the minimum score of an offered profile: half of the headers match.
	minOfferScore = 0.5
	// maxOffers is the maximum number of offered profiles.
	maxOffers = 5
)

// RankOffers returns the profiles that partly match a file with these headers, best match
// first.
func RankOffers(profiles []ProfileHeaders, headers []string) []Offer {
	var offers []Offer
	for _, p := range profiles {
		if score := Score(p.Headers, headers); score >= minOfferScore {
			offers = append(offers, Offer{ID: p.ID, Name: p.Name, Score: score})
		}
	}
	slices.SortFunc(offers, func(a, b Offer) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Name, b.Name))
	})
	return offers[:min(len(offers), maxOffers)]
}
