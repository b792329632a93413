package httpapi

import (
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/imports/adopt"
	"github.com/loadbay/loadbay/shared/imports/tablegrant"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
)

// tableGrant is the JSON form of a grant of a table.
type tableGrant struct {
	ID                string          `json:"id"`
	Organisations     []tenant.ID     `json:"organisations"` // empty if EveryOrganisation
	EveryOrganisation bool            `json:"everyOrganisation"`
	Table             string          `json:"table"`
	Tenant            declared.Tenant `json:"tenant"`
	Modes             []string        `json:"modes"` // empty for all
	ReferenceOnly     bool            `json:"referenceOnly"`
	GrantedBy         *string         `json:"grantedBy"` // null if types that existed before grants use the table
	GrantedAt         time.Time       `json:"grantedAt"`
}

func toTableGrant(g *tablegrant.Grant) tableGrant {
	return tableGrant{
		ID: g.ID, Organisations: append([]tenant.ID{}, g.Organisations...), EveryOrganisation: g.Every, Table: adopt.TableName(g.Schema, g.Table),
		Tenant: g.Tenant, Modes: sliceOrEmpty(g.Modes), ReferenceOnly: g.ReferenceOnly, GrantedBy: nilIfZero(g.GrantedBy), GrantedAt: g.GrantedAt.UTC(),
	}
}

// grantTable is POST /api/admin/table-grants.
func (a *operatorAPI) grantTable(w http.ResponseWriter, r *http.Request) error {
	var body tablegrant.NewGrant
	if err := readJSON(r, &body, maxDocument); err != nil {
		return err
	}
	g, err := a.tables.Grant(r.Context(), callerName(r), &body)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, toTableGrant(g))
}

// listTableGrants is GET /api/admin/table-grants.
func (a *operatorAPI) listTableGrants(w http.ResponseWriter, r *http.Request) error {
	p, err := operatorPageQuery(r)
	if err != nil {
		return err
	}
	found, total, err := a.tables.List(r.Context(), p.list())
	if err != nil {
		return err
	}
	documents := make([]tableGrant, len(found))
	for i := range found {
		documents[i] = toTableGrant(&found[i])
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.TableGrantCursor(&found[i]) }, total)
}

// revokeTable is POST /api/admin/table-grants/{grantId}/revoke.
func (a *operatorAPI) revokeTable(w http.ResponseWriter, r *http.Request) error {
	if err := a.tables.Revoke(r.Context(), callerName(r), r.PathValue("grantId")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
