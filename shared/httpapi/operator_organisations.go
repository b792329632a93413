package httpapi

import (
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/registry"
	"github.com/loadbay/loadbay/shared/postgres"
)

// organisationDocument is the JSON form of an organisation.
type organisationDocument struct {
	ID            tenant.ID  `json:"id"`
	Name          string     `json:"name"`
	Active        bool       `json:"active"`
	CreatedAt     time.Time  `json:"createdAt"`
	UpdatedAt     time.Time  `json:"updatedAt"`
	DeactivatedAt *time.Time `json:"deactivatedAt,omitempty"`
	// Quotas are the organisation's own quotas; null for the defaults.
	Quotas registry.Quotas `json:"quotas"`
	// MailDomains are confirmed by the operator, UnconfirmedMailDomains only named in the settings.
	MailDomains            []string `json:"mailDomains"`
	UnconfirmedMailDomains []string `json:"unconfirmedMailDomains"`
	WholeTables            bool     `json:"wholeTables"` // the organisation may use tables without a tenant's column
}

func toOrganisation(o *registry.Organisation) organisationDocument {
	return organisationDocument{
		ID: o.ID, Name: o.Name, Active: o.DeactivatedAt == nil,
		CreatedAt: o.CreatedAt.UTC(), UpdatedAt: o.UpdatedAt.UTC(), DeactivatedAt: utcOrNil(o.DeactivatedAt), Quotas: o.Quotas,
		MailDomains: sliceOrEmpty(o.MailDomains), UnconfirmedMailDomains: sliceOrEmpty(o.UnconfirmedMailDomains),
		WholeTables: o.WholeTables,
	}
}

func organisationAddress(id tenant.ID) string { return "/api/admin/organisations/" + id.String() }

// createOrganisation is POST /api/admin/organisations.
func (a *operatorAPI) createOrganisation(w http.ResponseWriter, r *http.Request) error {
	var body registry.NewOrganisation
	if err := readJSON(r, &body, maxDocument); err != nil {
		return err
	}
	o, created, err := a.CreateOrganisation(r.Context(), callerName(r), body)
	if err != nil {
		return err
	}
	if !created {
		return writeExists(w, "organisation", organisationAddress(o.ID), int64(o.ID))
	}
	w.Header().Set("Location", organisationAddress(o.ID))
	return writeJSON(w, http.StatusCreated, toOrganisation(o))
}

// listOrganisations is GET /api/admin/organisations.
func (a *operatorAPI) listOrganisations(w http.ResponseWriter, r *http.Request) error {
	p, err := operatorPageQuery(r)
	if err != nil {
		return err
	}
	found, total, err := a.Organisations(r.Context(), p.list())
	if err != nil {
		return err
	}
	documents := make([]organisationDocument, len(found))
	for i := range found {
		documents[i] = toOrganisation(&found[i])
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.OrganisationCursor(&found[i]) }, total)
}

// getOrganisation is GET /api/admin/organisations/{organisationId}.
func (a *operatorAPI) getOrganisation(w http.ResponseWriter, r *http.Request) error {
	id, err := organisationFromPath(r)
	if err != nil {
		return err
	}
	o, err := a.Organisation(r.Context(), id)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toOrganisation(o))
}

// renameOrganisation is PUT /api/admin/organisations/{organisationId}.
func (a *operatorAPI) renameOrganisation(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name string `json:"name"`
	}
	return changeOrganisation(w, r, &body, func(by string, id tenant.ID) (*registry.Organisation, error) {
		return a.RenameOrganisation(r.Context(), by, id, body.Name)
	})
}

// setQuotas is PUT /api/admin/organisations/{organisationId}/quotas.
func (a *operatorAPI) setQuotas(w http.ResponseWriter, r *http.Request) error {
	var body registry.Quotas
	return changeOrganisation(w, r, &body, func(by string, id tenant.ID) (*registry.Organisation, error) {
		return a.SetQuotas(r.Context(), by, id, body)
	})
}

// confirmMailDomains is PUT /api/admin/organisations/{organisationId}/mail-domains.
func (a *operatorAPI) confirmMailDomains(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		MailDomains []string `json:"mailDomains"`
	}
	return changeOrganisation(w, r, &body, func(by string, id tenant.ID) (*registry.Organisation, error) {
		return a.ConfirmMailDomains(r.Context(), by, id, body.MailDomains)
	})
}

// allowWholeTables is PUT /api/admin/organisations/{organisationId}/whole-tables.
func (a *operatorAPI) allowWholeTables(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		WholeTables bool `json:"wholeTables"`
	}
	return changeOrganisation(w, r, &body, func(by string, id tenant.ID) (*registry.Organisation, error) {
		return a.AllowWholeTables(r.Context(), by, id, body.WholeTables)
	})
}

// changeOrganisation reads the body, changes the organisation in the path, and responds with it.
func changeOrganisation(w http.ResponseWriter, r *http.Request, body any, change func(by string, id tenant.ID) (*registry.Organisation, error)) error {
	id, err := organisationFromPath(r)
	if err != nil {
		return err
	}
	if err := readJSON(r, body, maxDocument); err != nil {
		return err
	}
	o, err := change(callerName(r), id)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toOrganisation(o))
}

// activateOrganisation is POST …/activate and POST …/deactivate. Both are idempotent.
func (a *operatorAPI) activateOrganisation(active bool) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := organisationFromPath(r)
		if err != nil {
			return err
		}
		o, err := a.SetOrganisationActive(r.Context(), callerName(r), id, active)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, toOrganisation(o))
	}
}
