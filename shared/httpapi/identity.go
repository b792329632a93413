package httpapi

import (
	"context"
	"fmt"
	"math"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

type claimsKey struct{}

// WithClaims returns a context for a request with the claims of its verified token.
func WithClaims(ctx context.Context, claims map[string]string) context.Context {
	return context.WithValue(ctx, claimsKey{}, claims)
}

// claimSubject is the claim that identifies the caller.
const claimSubject = "sub"

// callerName returns the caller's subject; "" if the token has none.
func callerName(r *http.Request) string {
	claims, _ := r.Context().Value(claimsKey{}).(map[string]string)
	return claims[claimSubject]
}

type organisationKey struct{}

// organisationOf returns the organisation of the caller of an authorised request.
func organisationOf(r *http.Request) tenant.ID {
	id, _ := r.Context().Value(organisationKey{}).(tenant.ID)
	return id
}

// inOrganisation runs f in a transaction that has access only to data of the caller's
// organisation.
func (a *api) inOrganisation(r *http.Request, f func(ctx context.Context, tx pgx.Tx) error) error {
	return a.DB.InOrganisation(r.Context(), organisationOf(r), func(tx pgx.Tx) error { return f(r.Context(), tx) })
}

// claimsOf returns the claims of the caller's token; nil without a token.
func claimsOf(r *http.Request) map[string]string {
	claims, _ := r.Context().Value(claimsKey{}).(map[string]string)
	return claims
}

// authorise passes on only requests of callers with the scope, with the caller's organisation in
// the context. Operators have no organisation.
func (a *api) authorise(scope string, do handler) handler {
	if scope == "" {
		return do
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		claims := claimsOf(r)
		if claims == nil {
			return problem.New(problem.Unauthorized,
				"Authentication is required. Send a token: Authorization: Bearer ….")
		}
		organisation, err := tenant.Parse(a.Auth.Claims.organisation(claims))
		if err != nil && scope != scopeOperator {
			return problem.New(problem.OrgRequired,
				"The token does not contain an organisation. Contact your administrator.")
		}
		if !a.Auth.Claims.hold(claims, scope) {
			return problem.New(problem.ScopeRequired, "Permission denied: the token does not have the scope %s.", scope)
		}
		if scope == scopeOperator {
			return do(w, r)
		}
		ctx := context.WithValue(r.Context(), organisationKey{}, organisation)
		r = r.WithContext(telemetry.With(ctx, "organisation_id", organisation))
		rate, err := a.meter.Count(r.Context(), organisation)
		setRateLimit(w.Header(), rate)
		if err != nil {
			return err
		}
		if err := a.checkNotDeleted(r, scope); err != nil {
			return err
		}
		return do(w, r)
	}
}

// setRateLimit sets the fields of draft-ietf-httpapi-ratelimit-headers: the requests of the
// organisation that are granted in any case until the end of the minute.
func setRateLimit(h http.Header, rate quota.Rate) {
	if rate.Limit == 0 {
		return // unknown, because the database is away
	}
	h.Set("RateLimit-Policy", fmt.Sprintf(`"requests";q=%d;w=60`, rate.Limit))
	h.Set("RateLimit", fmt.Sprintf(`"requests";r=%d;t=%d`, rate.Left, int64(math.Ceil(rate.Ends.Seconds()))))
}

// checkOrganisation rejects parameters that name another organisation than the caller's. The error
// does not reveal whether that organisation exists.
func checkOrganisation(r *http.Request, named *tenant.ID, field string) error {
	if named == nil || *named == organisationOf(r) {
		return nil
	}
	return problem.New(problem.NotFound, "No organisation with ID %d exists.", *named).
		With(field, problem.NotFound, "The ID of your organisation, which is the default.")
}
