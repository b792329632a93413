package httpapi

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
)

// callerDocument describes the caller of a token.
type callerDocument struct {
	Subject          *string   `json:"subject"`
	OrganisationID   tenant.ID `json:"organisationId"`
	OrganisationName *string   `json:"organisationName"` // null: the organisation does not exist
	Scopes           []string  `json:"scopes"`
}

// getMe is GET /api/me.
func (a *api) getMe(w http.ResponseWriter, r *http.Request) error {
	document := callerDocument{Subject: nilIfZero(callerName(r)), OrganisationID: organisationOf(r), Scopes: a.Auth.Claims.scopes(claimsOf(r))}
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		name, err := a.DB.OrganisationName(ctx, tx, document.OrganisationID)
		document.OrganisationName = nilIfZero(name)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}

// contextDocument is an entity that the rows of an import belong to.
type contextDocument struct {
	ID       int64   `json:"id"`
	Name     string  `json:"name"`
	StartsOn *string `json:"startsOn"`
}

// Page sizes of contexts.
const (
	contextsPage    = 50
	maxContextsPage = 200
)

// listContexts is GET /api/contexts: the possible contexts for an import of a type.
func (a *api) listContexts(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	text, p := v.text("q"), v.page(contextsPage, maxContextsPage)
	v.rejectUnknown(pageParams("type", "q")...)
	of, known := a.Types.ByName(v.text("type"))
	if !known || of.Declaration().Context == nil {
		v.addError("type", "A type with a context in GET /api/import-types, such as MEMBERSHIP.")
	}
	if err := v.err(); err != nil {
		return err
	}
	if err := a.Types.CheckInstalled(r.Context(), nil, organisationOf(r), of.Declaration()); err != nil {
		return err
	}
	var found []postgres.Context
	var total int64
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, total, err = a.DB.Contexts(ctx, tx, of.Declaration().Context.Table, text, p.list())
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]contextDocument, len(found))
	for i, c := range found {
		documents[i] = contextDocument{ID: c.ID, Name: c.Name, StartsOn: nilIfZero(c.StartsOn)}
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.ContextCursor(&found[i]) }, total)
}
