package profile

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/loadbay/loadbay/shared/job"
)

// AutoProfile is as much of a profile that takes files by itself as tells whether it takes one.
type AutoProfile struct {
	ID          job.ProfileID
	Name        string
	Version     int
	Fingerprint string
	Source      json.RawMessage // sheet.Options; nil for none
}

// Options are those of Version.Options.
func (a *AutoProfile) Options(stated json.RawMessage) (json.RawMessage, error) {
	return mergeOptions(a.Source, stated)
}

// UsedProfile is the profile as an import keeps it that it has taken.
func (a *AutoProfile) UsedProfile() *job.UsedProfile {
	return &job.UsedProfile{ID: a.ID, Name: a.Name, Version: a.Version, Choice: job.ChosenByFingerprint}
}

// ProfileHeaders is a profile with the headers that it was made for.
type ProfileHeaders struct {
	ID      job.ProfileID
	Name    string
	Headers []string
}

// Offer is a profile that fits a file somewhat.
type Offer struct {
	ID    job.ProfileID
	Name  string
	Score float64 // of Score
}

const (
	// minOfferScore is how well a profile must fit to be offered: half of the headers.
	minOfferScore = 0.5
	// maxOffers is how many are offered.
	maxOffers = 5
)

// RankOffers returns those of the profiles that fit a file with these headers, the best
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
