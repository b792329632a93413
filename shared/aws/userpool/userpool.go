// Package userpool defines the attributes that Loadbay stores for users in a Cognito user
// pool: their organisation and their scopes. Only an administrator of the pool can write
// them. They are copied into tokens.
package userpool

import (
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// The names of the attributes with which the pool is created. Cognito adds the prefix
// "custom:".
const (
	OrganisationAttribute = "organisation_id" // a tenant.ID; absent or "" for none
	ScopesAttribute       = "scopes"          // separated by spaces
)

// organisationClaim is the name of the claim in tokens. It is the default name that the
// API reads.
const organisationClaim = "organisation_id"

// Attribute returns the full name of an attribute, as requests and events use it.
func Attribute(name string) string { return "custom:" + name }

// AddClaims adds the user's attributes to the access token that is about to be signed,
// because Cognito adds attributes only to identity tokens. The scopes of the user are
// always added; scopes that the client requested remain.
func AddClaims(e events.CognitoEventUserPoolsPreTokenGenV2_0) events.CognitoEventUserPoolsPreTokenGenV2_0 {
	token := &e.Response.ClaimsAndScopeOverrideDetails.AccessTokenGeneration
	if organisation := e.Request.UserAttributes[Attribute(OrganisationAttribute)]; organisation != "" {
		token.ClaimsToAddOrOverride = map[string]any{organisationClaim: organisation}
	}
	token.ScopesToAdd = strings.Fields(e.Request.UserAttributes[Attribute(ScopesAttribute)])
	return e
}
