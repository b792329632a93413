package blueprint

import "time"

// What people sign in with: the settings of it that the local stack and the CDK app give
// a value of their own.
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

// UserPool is the base of the name of the pool of people, where Loadbay has one of its own.
const UserPool = "loadbay"

// TokensFunction is called by the user pool before it signs a token.
const TokensFunction = "tokens"

// WithUserPool adds what a deployment needs whose people are in a user pool of Cognito, which
// there is none of on one machine.
func (b *Blueprint) WithUserPool() *Blueprint {
	b.Functions = append(b.Functions, Function{
		Name: TokensFunction, Purpose: "Puts a person's organisation and scopes into tokens of the user pool.",
		Memory: 128, Timeout: 5 * time.Second, // the most that Cognito waits
	})
	return b
}

// IssuerSettings are the settings that follow from who issues the tokens.
func IssuerSettings() []string {
	return []string{AuthIssuer, AuthAudience, AuthClientID, AuthCommandClientID, AuthOrganisationClaim, AuthScopeClaim}
}

// signInEnv is what GET /api/auth says.
func signInEnv() []Env {
	return append(settingsEnv(AuthIssuer, AuthAudience, AuthRequired, AuthClientID, AuthCommandClientID, AuthScopes), claimNames()...)
}

// claimNames are those of a token that are read.
func claimNames() []Env { return settingsEnv(AuthOrganisationClaim, AuthScopeClaim) }
