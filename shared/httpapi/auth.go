package httpapi

import (
	"net/http"
	"strings"
)

// Auth configures the sign-in: at an OpenID Connect issuer, with PKCE (RFC 7636). It contains no
// secret.
type Auth struct {
	// Required rejects calls without a token.
	Required bool `env:"AUTH_REQUIRED" default:"true"`
	// Issuer is the base URL of the discovery document; "" disables the sign-in.
	Issuer string `env:"AUTH_ISSUER"`
	// ClientID and CommandClientID are the public clients of the console and the command line.
	ClientID        string `env:"AUTH_CLIENT_ID"`
	CommandClientID string `env:"AUTH_COMMAND_CLIENT_ID"`
	// Audience is included in the authorisation request if it is set; some issuers require it.
	Audience string `env:"AUTH_AUDIENCE"`
	// Scopes lists the requested scopes, separated by spaces.
	Scopes string `env:"AUTH_SCOPES" default:"openid"`
	// Claims are the names of the token claims.
	Claims ClaimNames
}

// authDocument is Auth on the wire.
type authDocument struct {
	Required        bool       `json:"required"`
	Issuer          *string    `json:"issuer"`
	ClientID        *string    `json:"clientId"`
	CommandClientID *string    `json:"commandClientId"`
	Audience        *string    `json:"audience"`
	Scopes          []string   `json:"scopes"`
	Claims          authClaims `json:"claims"`
}

type authClaims struct {
	Organisation string `json:"organisation"`
	Scopes       string `json:"scopes"`
}

// getAuth is GET /api/auth: the information that a client needs before it has a token.
func (a *api) getAuth(w http.ResponseWriter, _ *http.Request) error {
	s := a.Auth
	return writeJSON(w, http.StatusOK, authDocument{
		Required: s.Required, Issuer: nilIfZero(s.Issuer), ClientID: nilIfZero(s.ClientID), CommandClientID: nilIfZero(s.CommandClientID), Audience: nilIfZero(s.Audience),
		Scopes: append([]string{}, strings.Fields(s.Scopes)...), Claims: authClaims{Organisation: s.Claims.organisationName(), Scopes: s.Claims.scopesName()},
	})
}
