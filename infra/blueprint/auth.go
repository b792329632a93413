package blueprint

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

// signingIn is what GET /api/auth says.
func signingIn() []Env {
	return append(settings(AuthIssuer, AuthAudience, AuthRequired, AuthClientID, AuthCommandClientID, AuthScopes), claimNames()...)
}

// claimNames are those of a token that are read.
func claimNames() []Env { return settings(AuthOrganisationClaim, AuthScopeClaim) }

// SignedInPath is the path that an issuer sends people back to: below the console's
// origin, and of the command line's listener.
const SignedInPath = "/signed-in"

// CommandPorts are those of 127.0.0.1 at which the command line waits for people who sign
// in, the first that is free. They are fixed, because issuers such as Cognito compare
// redirects as a whole.
func CommandPorts() []int { return []int{49210, 49211, 49212} }
