package httpapi

import (
	"encoding/json"
	"slices"
	"strings"
)

// The claims that hold the caller's scopes: OAuth's own, or else the one that some
// issuers (Okta, Entra) have instead.
const (
	claimScope = "scope"
	claimScp   = "scp"
)

// holds reports whether the claims hold a scope.
func holds(claims map[string]string, scope string) bool {
	return slices.Contains(scopesOf(claims), scope)
}

// scopesOf are the scopes that the claims hold.
func scopesOf(claims map[string]string) []string {
	list, ok := claims[claimScope]
	if !ok {
		list = claims[claimScp]
	}
	return splitScopes(list)
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
