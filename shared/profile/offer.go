package profile

import (
	"cmp"
	"slices"
)

const (
	// leastScore is how well a profile must fit to be offered: half of the headers.
	leastScore = 0.5
	// maxOffers is how many are offered.
	maxOffers = 5
)

// Offers returns those of the profiles that fit a file with these headers, the best
// first.
func Offers(profiles []Profile, headers []string) []Offer {
	var offers []Offer
	for i := range profiles {
		p := &profiles[i]
		if score := Score(p.Headers, headers); score >= leastScore {
			offers = append(offers, Offer{ID: p.ID, Name: p.Name, Score: score})
		}
	}
	slices.SortFunc(offers, func(a, b Offer) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Name, b.Name))
	})
	return offers[:min(len(offers), maxOffers)]
}
