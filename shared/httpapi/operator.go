package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/loadbay/loadbay/shared/imports/tablegrant"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/registry"
	"github.com/loadbay/loadbay/shared/problem"
)

// scopeOperator is the scope of operators, who act for every organisation and need not name one.
const scopeOperator = "admin"

// Registry manages the organisations and the entities that their files refer to.
type Registry interface {
	CreateOrganisation(ctx context.Context, by string, n registry.NewOrganisation) (o *registry.Organisation, created bool, err error)
	Organisation(ctx context.Context, id tenant.ID) (*registry.Organisation, error)
	Organisations(ctx context.Context, p job.Page) ([]registry.Organisation, int64, error)
	RenameOrganisation(ctx context.Context, by string, id tenant.ID, name string) (*registry.Organisation, error)
	SetQuotas(ctx context.Context, by string, id tenant.ID, q registry.Quotas) (*registry.Organisation, error)
	ConfirmMailDomains(ctx context.Context, by string, id tenant.ID, domains []string) (*registry.Organisation, error)
	AllowWholeTables(ctx context.Context, by string, id tenant.ID, allowed bool) (*registry.Organisation, error)
	SetOrganisationActive(ctx context.Context, by string, id tenant.ID, active bool) (*registry.Organisation, error)

	CreateEntry(ctx context.Context, by string, in registry.Location, e registry.Entry) (kept *registry.Entry, created bool, err error)
	Entry(ctx context.Context, in registry.Location, id int64) (*registry.Entry, error)
	Entries(ctx context.Context, in registry.Location, p job.Page) ([]registry.Entry, int64, error)
	UpdateEntry(ctx context.Context, by string, in registry.Location, e registry.Entry) (*registry.Entry, error)
}

// TableGrants manages the tables for which organisations may declare types.
type TableGrants interface {
	Grant(ctx context.Context, by string, n *tablegrant.NewGrant) (*tablegrant.Grant, error)
	List(ctx context.Context, p job.Page) ([]tablegrant.Grant, int64, error)
	Revoke(ctx context.Context, by, id string) error
}

// operatorAPI holds the handlers of /api/admin. They run in a separate function because the
// function of all other routes cannot connect to the database as the operator.
type operatorAPI struct {
	Registry
	operations Operations
	tables     TableGrants
	links      ConsoleLinks
}

// OperatorDependencies are the dependencies of the operator API.
type OperatorDependencies struct {
	Registry   Registry
	Operations Operations
	Tables     TableGrants
	Links      ConsoleLinks
	// Claims are the names of the token claims.
	Claims ClaimNames
	Log    *slog.Logger
}

// NewOperatorAPI returns the handler of the routes under /api/admin.
func NewOperatorAPI(o OperatorDependencies) (http.Handler, error) {
	if o.Registry == nil || o.Operations == nil || o.Tables == nil || o.Log == nil {
		return nil, errors.New("operator http api: missing dependency")
	}
	a := &api{Dependencies: Dependencies{Log: o.Log, Auth: Auth{Claims: o.Claims}}}
	return a.serve(operatorRoutes(&operatorAPI{o.Registry, o.Operations, o.Tables, o.Links}), maxInlineBytes), nil
}

func operatorRoutes(a *operatorAPI) []route {
	const organisations = "/api/admin/organisations"
	const organisation = organisations + "/{organisationId}"
	routes := []route{
		{"POST", organisations, scopeOperator, withoutQuery(a.createOrganisation)},
		{"GET", organisations, scopeOperator, a.listOrganisations},
		{"GET", organisation, scopeOperator, withoutQuery(a.getOrganisation)},
		{"PUT", organisation, scopeOperator, withoutQuery(a.renameOrganisation)},
		{"PUT", organisation + "/quotas", scopeOperator, withoutQuery(a.setQuotas)},
		{"PUT", organisation + "/mail-domains", scopeOperator, withoutQuery(a.confirmMailDomains)},
		{"PUT", organisation + "/whole-tables", scopeOperator, withoutQuery(a.allowWholeTables)},
		{"POST", organisation + "/deactivate", scopeOperator, withoutQuery(a.activateOrganisation(false))},
		{"POST", organisation + "/activate", scopeOperator, withoutQuery(a.activateOrganisation(true))},
	}
	for path, kind := range map[string]registry.Kind{
		"/periods": registry.Period, "/membership-types": registry.MembershipType, "/events": registry.Event, "/events/{eventId}/categories": registry.Category,
	} {
		entries, entry := organisation+path, organisation+path+"/{"+entryParameters[kind]+"}"
		routes = append(routes,
			route{"POST", entries, scopeOperator, withoutQuery(a.createEntry(kind))},
			route{"GET", entries, scopeOperator, a.listEntries(kind)},
			route{"GET", entry, scopeOperator, withoutQuery(a.getEntry(kind))},
			route{"PUT", entry, scopeOperator, withoutQuery(a.updateEntry(kind))},
		)
	}
	const grants = "/api/admin/table-grants"
	routes = append(routes,
		route{"POST", grants, scopeOperator, withoutQuery(a.grantTable)},
		route{"GET", grants, scopeOperator, a.listTableGrants},
		route{"POST", grants + "/{grantId}/revoke", scopeOperator, withoutQuery(a.revokeTable)},
	)
	return append(routes, a.operationsRoutes()...)
}

// entryParameters are the path parameters with the id of an entry.
var entryParameters = map[registry.Kind]string{
	registry.Period: "periodId", registry.MembershipType: "membershipTypeId", registry.Event: "eventId", registry.Category: "categoryId",
}

// organisationFromPath returns the organisation in the path, or NOT_FOUND.
func organisationFromPath(r *http.Request) (tenant.ID, error) {
	id, err := tenant.Parse(r.PathValue("organisationId"))
	if err != nil {
		return 0, registry.OrganisationNotFound()
	}
	return id, nil
}

// Page sizes of operator lists.
const (
	operatorPage    = 50
	maxOperatorPage = 200
)

// operatorPageQuery parses which part of a list is requested.
func operatorPageQuery(r *http.Request) (page, error) {
	v := newValues(r.URL.Query())
	p := v.page(operatorPage, maxOperatorPage)
	v.rejectUnknown(pageParams()...)
	return p, v.err()
}

// writeExists responds to the creation of something that already exists at the address.
func writeExists(w http.ResponseWriter, what, address string, id int64) error {
	w.Header().Set("Location", address)
	return problem.New(problem.EntityExists, "This %s already exists with ID %d.", what, id).
		With("name", problem.EntityExists, "A unique name; case is ignored.")
}
