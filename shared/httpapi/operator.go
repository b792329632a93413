package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/registry"
	"github.com/loadbay/loadbay/shared/problem"
)

// scopeOperator is held by tokens of whoever operates the installation: they act for
// every organisation and need not name one.
const scopeOperator = "admin"

// Registry keeps the organisations and what their files refer to.
type Registry interface {
	CreateOrganisation(ctx context.Context, by string, n registry.NewOrganisation) (o *registry.Organisation, created bool, err error)
	Organisation(ctx context.Context, id tenant.ID) (*registry.Organisation, error)
	Organisations(ctx context.Context, p registry.Page) ([]registry.Organisation, int64, error)
	RenameOrganisation(ctx context.Context, by string, id tenant.ID, name string) (*registry.Organisation, error)
	SetQuotas(ctx context.Context, by string, id tenant.ID, q registry.Quotas) (*registry.Organisation, error)
	SetOrganisationActive(ctx context.Context, by string, id tenant.ID, active bool) (*registry.Organisation, error)

	CreateEntry(ctx context.Context, by string, in registry.Location, e registry.Entry) (kept *registry.Entry, created bool, err error)
	Entry(ctx context.Context, in registry.Location, id int64) (*registry.Entry, error)
	Entries(ctx context.Context, in registry.Location, p registry.Page) ([]registry.Entry, int64, error)
	UpdateEntry(ctx context.Context, by string, in registry.Location, e registry.Entry) (*registry.Entry, error)
}

// operatorAPI holds the handlers of /api/admin, which are a function of their own:
// that of all other routes cannot connect as the operator.
type operatorAPI struct {
	Registry
	operations Operations
	links      ConsoleLinks
}

// OperatorDependencies is what the handlers of operators work with.
type OperatorDependencies struct {
	Registry   Registry
	Operations Operations
	Links      ConsoleLinks
	// Claims are those of tokens.
	Claims ClaimNames
	Log    *slog.Logger
}

// NewOperatorAPI returns the handler of the routes under /api/admin.
func NewOperatorAPI(o OperatorDependencies) (http.Handler, error) {
	if o.Registry == nil || o.Operations == nil || o.Log == nil {
		return nil, errors.New("http api of operators: something it works with is missing")
	}
	a := &api{Dependencies: Dependencies{Log: o.Log, Auth: Auth{Claims: o.Claims}}}
	return a.serve(operatorRoutes(&operatorAPI{o.Registry, o.Operations, o.Links}), maxInlineBytes), nil
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
		{"POST", organisation + "/deactivate", scopeOperator, withoutQuery(a.activateOrganisation(false))},
		{"POST", organisation + "/activate", scopeOperator, withoutQuery(a.activateOrganisation(true))},
	}
	for path, kind := range map[string]registry.Kind{
		"/periods": registry.Period, "/membership-types": registry.MembershipType, "/events": registry.Event, "/events/{eventId}/categories": registry.Category,
	} {
		entries := organisation + path
		routes = append(routes,
			route{"POST", entries, scopeOperator, withoutQuery(a.createEntry(kind))},
			route{"GET", entries, scopeOperator, a.listEntries(kind)},
			route{"GET", entries + "/{entryId}", scopeOperator, withoutQuery(a.getEntry(kind))},
			route{"PUT", entries + "/{entryId}", scopeOperator, withoutQuery(a.updateEntry(kind))},
		)
	}
	return append(routes, a.operationsRoutes()...)
}

// organisationFromPath is the organisation that the path names, or NOT_FOUND.
func organisationFromPath(r *http.Request) (tenant.ID, error) {
	id, err := tenant.Parse(r.PathValue("organisationId"))
	if err != nil {
		return 0, registry.OrganisationNotFound()
	}
	return id, nil
}

// Pages of what operators list.
const (
	operatorPage    = 50
	maxOperatorPage = 200
)

// operatorPageQuery reads which part of a list is asked for.
func operatorPageQuery(r *http.Request) (page, error) {
	v := newValues(r.URL.Query())
	p := v.page(operatorPage, maxOperatorPage)
	v.rejectUnknown(pageParams()...)
	return p, v.err()
}

// writeExists responds to a creation of what is there already, under that address.
func writeExists(w http.ResponseWriter, what, address string, id int64) error {
	w.Header().Set("Location", address)
	return problem.New(problem.EntityExists, "There is this %s already: its id is %d, and its address in the header Location.", what, id).
		With("name", problem.EntityExists, "A name that no other has, in whatever case.")
}
