package httpapi

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// The default claim names, and the alternatives that some issuers (Okta, Entra) use.
const (
	claimOrganisation      = "organisation_id"
	claimOrganisationShort = "organisation"
	claimScope             = "scope"
	claimScp               = "scp"
)

// ClaimNames are the names of the claims that contain a caller's organisation and scopes. If a name
// is configured, only that claim is read: all other claims belong to the issuer.
type ClaimNames struct {
	Organisation string `env:"AUTH_ORGANISATION_CLAIM" default:"organisation_id"`
	Scopes       string `env:"AUTH_SCOPE_CLAIM" default:"scope"`
}

func (n ClaimNames) organisationName() string { return cmp.Or(n.Organisation, claimOrganisation) }
func (n ClaimNames) scopesName() string       { return cmp.Or(n.Scopes, claimScope) }

// organisation returns the id of the caller's organisation; "" if the claims contain none.
func (n ClaimNames) organisation(claims map[string]string) string {
	return readClaim(claims, n.organisationName(), claimOrganisation, claimOrganisationShort)
}

// scopes returns the scopes in the claims.
func (n ClaimNames) scopes(claims map[string]string) []string {
	return splitScopes(readClaim(claims, n.scopesName(), claimScope, claimScp))
}

// hold reports whether the claims contain a scope.
func (n ClaimNames) hold(claims map[string]string, scope string) bool {
	return slices.Contains(n.scopes(claims), scope)
}

// readClaim returns the claim with the name or, if the name is the default and the claim is absent,
// the alternative claim.
func readClaim(claims map[string]string, name, standard, instead string) string {
	if value, ok := claims[name]; ok || name != standard {
		return value
	}
	return claims[instead]
}

// splitScopes returns the scopes of a claim, which is either a string separated by single spaces
// (RFC 6749, section 3.3) or an array: API Gateway passes all claims as text, an array as [a b].
// Our scopes contain no spaces and do not begin with a bracket, and only spaces separate them.
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
