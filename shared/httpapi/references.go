package httpapi

import (
	"cmp"
	"net/http"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/problem"
)

// listReferences is GET /api/references/{field}: the entities that values of a field can match.
func (a *api) listReferences(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(candidatesPage, maxCandidatesPage)
	choice := review.CandidateQuery{Field: r.PathValue("field"), Value: v.text("value"), Search: v.text("q")}
	contextID := v.number("contextId")
	v.rejectUnknown(pageParams("type", "contextId", "value", "q")...)
	decl, err := a.typeInUse(r, "type", v.text("type"))
	if problem.CodeOf(err) == problem.ImportTypeUnknown {
		v.addError("type", "One of the types in GET /api/import-types.")
		err = nil
	}
	if err := cmp.Or(v.err(), err); err != nil {
		return err
	}
	within := int64(0)
	if contextID != nil {
		within = *contextID
	}
	found, err := a.Review.References(r.Context(), organisationOf(r), decl, within, choice)
	if err != nil {
		return err
	}
	return writeCandidates(w, r, p, found, choice)
}
