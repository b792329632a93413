package blueprint

import "time"

// The sign-in settings that the local stack and the CDK app override.
const (
	AuthIssuer          = "AUTH_ISSUER"
	AuthAudience        = "AUTH_AUDIENCE"
	AuthRequired        = "AUTH_REQUIRED"
	AuthClientID        = "AUTH_CLIENT_ID"
	AuthCommandClientID = "AUTH_COMMAND_CLIENT_ID"
	AuthScopes          = "AUTH_SCOPES"

	AuthOrganisationClaim = "AUTH_ORGANISATION_CLAIM"
	AuthScopeClaim        = "AUTH_SCOPE_CLAIM"
)

// UserPool is the base name of Loadbay's own user pool.
const UserPool = "loadbay"

// TokensFunction is called by the user pool before it signs a token.
const TokensFunction = "tokens"

// WithUserPool adds the resources of a deployment with a Cognito user pool. The local stack has
// none.
func (b *Blueprint) WithUserPool() *Blueprint {
	b.Functions = append(b.Functions, Function{
		Name: TokensFunction, Purpose: "Adds a person's organisation and scopes to tokens of the user pool.",
		Memory: 128, Timeout: 5 * time.Second, // the maximum that Cognito allows
	})
	return b
}

// IssuerSettings are the settings determined by the token issuer.
func IssuerSettings() []string {
	return []string{AuthIssuer, AuthAudience, AuthClientID, AuthCommandClientID, AuthOrganisationClaim, AuthScopeClaim}
}

// signInEnv configures the response of GET /api/auth.
func signInEnv() []Env {
	return append(settingsEnv(AuthIssuer, AuthAudience, AuthRequired, AuthClientID, AuthCommandClientID, AuthScopes), claimNames()...)
}

// claimNames are the names of the token claims that functions read.
func claimNames() []Env { return settingsEnv(AuthOrganisationClaim, AuthScopeClaim) }
