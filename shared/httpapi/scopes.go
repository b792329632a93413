package httpapi

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// The claims that are read unless others are named, and what some issuers (Okta, Entra)
// have instead of them.
const (
	claimOrganisation      = "organisation_id"
	claimOrganisationShort = "organisation"
	claimScope             = "scope"
	claimScp               = "scp"
)

// ClaimNames are the claims of an issuer's tokens that say for whom a caller acts, and what
// the caller may do. One that is named otherwise than by default is the only one that is
// read: what else a token says is then the issuer's own business.
type ClaimNames struct {
	Organisation string `env:"AUTH_ORGANISATION_CLAIM" default:"organisation_id"`
	Scopes       string `env:"AUTH_SCOPE_CLAIM" default:"scope"`
}

func (n ClaimNames) organisationName() string { return cmp.Or(n.Organisation, claimOrganisation) }
func (n ClaimNames) scopesName() string       { return cmp.Or(n.Scopes, claimScope) }

// organisation is the id of the caller's organisation; "" where the claims name none.
func (n ClaimNames) organisation(claims map[string]string) string {
	return readClaim(claims, n.organisationName(), claimOrganisation, claimOrganisationShort)
}

// scopes are those that the claims hold.
func (n ClaimNames) scopes(claims map[string]string) []string {
	return splitScopes(readClaim(claims, n.scopesName(), claimScope, claimScp))
}

// hold reports whether the claims hold a scope.
func (n ClaimNames) hold(claims map[string]string, scope string) bool {
	return slices.Contains(n.scopes(claims), scope)
}

// readClaim is the claim of that name or, if it has the standard name and is not there, the
// one that takes its place.
func readClaim(claims map[string]string, name, standard, instead string) string {
	if value, ok := claims[name]; ok || name != standard {
		return value
	}
	return claims[instead]
}

// splitScopes returns the scopes of a claim, which is either a string with single spaces
// between them (RFC 6749, section 3.3) or an array: API Gateway passes on all claims as
// text, an array as [a b]. No scope contains a space or begins with a bracket of ours, and
// nothing but a space divides them.
func splitScopes(claim string) []string {
	inner, array := strings.CutPrefix(claim, "[")
	if !array {
		return strings.Split(claim, " ")
	}
	var scopes []string
	if json.Unmarshal([]byte(claim), &scopes) == nil {
		return scopes
	}
	inner, closed := strings.CutSuffix(inner, "]")
	if !closed {
		return nil
	}
	return strings.Split(inner, " ")
}
