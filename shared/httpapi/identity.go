package httpapi

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

type claimsKey struct{}

// WithClaims returns a context of a request whose token has been checked and
// makes these claims.
func WithClaims(ctx context.Context, claims map[string]string) context.Context {
	return context.WithValue(ctx, claimsKey{}, claims)
}

// claimSubject is the claim that names the caller.
const claimSubject = "sub"

// callerName is who sends the request, as the token names them; "" where it does not.
func callerName(r *http.Request) string {
	claims, _ := r.Context().Value(claimsKey{}).(map[string]string)
	return claims[claimSubject]
}

type organisationKey struct{}

// organisationOf is the organisation that the caller of a permitted request
// acts for.
func organisationOf(r *http.Request) tenant.ID {
	id, _ := r.Context().Value(organisationKey{}).(tenant.ID)
	return id
}

// inOrganisation runs f in a transaction that sees and writes what belongs to the
// caller's organisation.
func (a *api) inOrganisation(r *http.Request, f func(ctx context.Context, tx pgx.Tx) error) error {
	return a.DB.InOrganisation(r.Context(), organisationOf(r), func(tx pgx.Tx) error { return f(r.Context(), tx) })
}

// claimsOf are the claims of the caller's token; nil without one.
func claimsOf(r *http.Request) map[string]string {
	claims, _ := r.Context().Value(claimsKey{}).(map[string]string)
	return claims
}

// authorise lets only callers with the scope through, and says to all that
// follows for which organisation they act. Operators act for none.
func (a *api) authorise(scope string, do handler) handler {
	if scope == "" {
		return do
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		claims := claimsOf(r)
		if claims == nil {
			return problem.New(problem.Unauthorized, "Send a token: Authorization: Bearer ….")
		}
		organisation, err := tenant.Parse(a.Auth.Claims.organisation(claims))
		if err != nil && scope != scopeOperator {
			return problem.New(problem.OrgRequired, "The token names no organisation to act for.")
		}
		if !a.Auth.Claims.hold(claims, scope) {
			return problem.New(problem.ScopeRequired, "The token does not hold the scope %s.", scope)
		}
		if scope == scopeOperator {
			return do(w, r)
		}
		ctx := context.WithValue(r.Context(), organisationKey{}, organisation)
		r = r.WithContext(telemetry.With(ctx, "organisation_id", organisation))
		if err := a.meter.Allow(r.Context(), organisation); err != nil {
			return err
		}
		return do(w, r)
	}
}

// checkOrganisation refuses parameters that name another organisation than the
// caller's. Whether that one exists is not said.
func checkOrganisation(r *http.Request, named *tenant.ID, field string) error {
	if named == nil || *named == organisationOf(r) {
		return nil
	}
	return problem.New(problem.NotFound, "There is no organisation with the id %d.", *named).
		With(field, problem.NotFound, "The id of your organisation; leave it out to mean that one.")
}
