// Package userpool is what Loadbay keeps about people in a user pool of Cognito: for which
// organisation they act, and what they may do. Both are attributes that only an
// administrator of the pool writes, and go from there into tokens.
package userpool

import (
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// The attributes, which a pool is made with. Cognito calls them "custom:" and this.
const (
	OrganisationAttribute = "organisation_id" // a tenant.ID; absent or "" for none
	ScopesAttribute       = "scopes"          // with spaces between
)

// organisationClaim is that of the tokens, by the name that is read unless another is set.
const organisationClaim = "organisation_id"

// Attribute is the name of an attribute in requests and events.
func Attribute(name string) string { return "custom:" + name }

// AddClaims puts what the pool knows of a person into the access token that is about to be
// signed: Cognito puts attributes into identity tokens only. Scopes that were asked for
// stay, and those of the person are added, whatever was asked for.
func AddClaims(e events.CognitoEventUserPoolsPreTokenGenV2_0) events.CognitoEventUserPoolsPreTokenGenV2_0 {
	token := &e.Response.ClaimsAndScopeOverrideDetails.AccessTokenGeneration
	if organisation := e.Request.UserAttributes[Attribute(OrganisationAttribute)]; organisation != "" {
		token.ClaimsToAddOrOverride = map[string]any{organisationClaim: organisation}
	}
	token.ScopesToAdd = strings.Fields(e.Request.UserAttributes[Attribute(ScopesAttribute)])
	return e
}
