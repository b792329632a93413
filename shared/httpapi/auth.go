package httpapi

import (
	"net/http"
	"strings"
)

// Auth says how people sign in: at an issuer of OpenID Connect, with PKCE (RFC 7636). It
// holds no secret.
type Auth struct {
	// Required is whether calls without a token are refused.
	Required bool `env:"AUTH_REQUIRED" default:"true"`
	// Issuer has its discovery document below it; "" where nobody can sign in.
	Issuer string `env:"AUTH_ISSUER"`
	// ClientID and CommandClientID are the public clients of the console and of the
	// command line.
	ClientID        string `env:"AUTH_CLIENT_ID"`
	CommandClientID string `env:"AUTH_COMMAND_CLIENT_ID"`
	// Audience is asked for where it is set, as some issuers want.
	Audience string `env:"AUTH_AUDIENCE"`
	// Scopes are asked for, with spaces between.
	Scopes string `env:"AUTH_SCOPES" default:"openid"`
	// Claims are those of its tokens that are read here.
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

// getAuth is GET /api/auth: what a client needs to know before it has a token.
func (a *api) getAuth(w http.ResponseWriter, _ *http.Request) error {
	s := a.Auth
	return writeJSON(w, http.StatusOK, authDocument{
		Required: s.Required, Issuer: nilIfZero(s.Issuer), ClientID: nilIfZero(s.ClientID), CommandClientID: nilIfZero(s.CommandClientID), Audience: nilIfZero(s.Audience),
		Scopes: append([]string{}, strings.Fields(s.Scopes)...), Claims: authClaims{Organisation: s.Claims.organisationName(), Scopes: s.Claims.scopesName()},
	})
}
