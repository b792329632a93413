package httpapi

import (
	"net/http"

	"github.com/loadbay/loadbay/shared/imports/review"
)

// listReferences is GET /api/references/{field}: the entities that values of a field can match.
func (a *api) listReferences(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(candidatesPage, maxCandidatesPage)
	choice := review.CandidateQuery{Field: r.PathValue("field"), Value: v.text("value"), Search: v.text("q")}
	contextID := v.number("contextId")
	v.rejectUnknown(pageParams("type", "contextId", "value", "q")...)
	of, known := a.Types.ByName(v.text("type"))
	if !known {
		v.addError("type", "One of the types in GET /api/import-types.")
	}
	if err := v.err(); err != nil {
		return err
	}
	within := int64(0)
	if contextID != nil {
		within = *contextID
	}
	found, err := a.Review.References(r.Context(), organisationOf(r), of.Declaration(), within, choice)
	if err != nil {
		return err
	}
	return writeCandidates(w, r, p, found, choice)
}
