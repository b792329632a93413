// Package openid is an OpenID provider for one machine: people sign in under any identity
// they choose, and the protocol is that of a real provider. It serves the authorization code
// flow of public clients (OAuth 2.1): PKCE with S256 is mandatory, redirects must match a
// registered URL, codes work once, and refresh tokens are replaced on each use. For programs
// without a browser it serves the device authorization grant (RFC 8628).
//
// Sessions are stored in memory: after a restart people sign in again.
package openid

import (
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/loadbay/loadbay/infra/local/gateway"
)

// Validity of what the provider issues.
const (
	codeTTL    = time.Minute
	sessionTTL = 12 * time.Hour
	refreshTTL = 12 * time.Hour
	// tokenTTL is the default validity of access tokens; users can choose another when they
	// sign in. It is short, so that clients exercise their token refresh.
	tokenTTL = 10 * time.Minute
)

// Client is a program in which people sign in. It has no secret.
type Client struct {
	ID           string
	RedirectURLs []string // allowed redirect URLs, compared as a whole
	LogoutURLs   []string // allowed redirect URLs after signing out
}

// Config configures a provider.
type Config struct {
	// Issuer signs tokens. Its name is the address of the provider, without a slash at the end.
	Issuer  *gateway.Issuer
	Clients []Client
	// Scopes are the scopes available to everybody; Operator is the scope of operators.
	Scopes   []string
	Operator string
	// DeviceCodeTTL is how long device codes are valid; 0 is ten minutes.
	DeviceCodeTTL time.Duration
}

// provider serves the endpoints.
type provider struct {
	Config
	path          string                 // of the issuer's address
	sessions      *ttlMap[*person]       // by cookie value
	codes         *ttlMap[*grant]        // by code; includes used ones, to detect reuse
	refreshTokens *ttlMap[*refreshToken] // by refresh token; includes used ones
	devices       *ttlMap[*device]       // by device code; includes used ones
	userCodes     *ttlMap[*device]       // by user code, until a decision
}

// person is a signed-in user, as entered in the form.
type person struct {
	subject, organisation string
	operator              bool
	tokenTTL              time.Duration // validity of access tokens
	signedOut             atomic.Bool   // tokens can no longer be refreshed
}

// New returns the provider, to be mounted at the path of the issuer's address.
func New(c Config) (http.Handler, error) {
	if c.Issuer == nil || len(c.Clients) == 0 || c.Operator == "" {
		return nil, errors.New("openid: Issuer, Clients and Operator are needed")
	}
	address, err := url.Parse(c.Issuer.Name())
	if err != nil {
		return nil, err
	}
	p := &provider{Config: c, path: address.Path, sessions: newTTLMap[*person](), codes: newTTLMap[*grant](), refreshTokens: newTTLMap[*refreshToken](), devices: newTTLMap[*device](), userCodes: newTTLMap[*device]()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.metadata)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /device-authorization", p.authorizeDevice)
	mux.HandleFunc("GET /device", p.devicePage)
	// Other sites must not be able to sign anyone in.
	own := http.NewCrossOriginProtection()
	mux.Handle("POST /authorize", own.Handler(http.HandlerFunc(p.signIn)))
	mux.Handle("POST /device", own.Handler(http.HandlerFunc(p.confirmDevice)))
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /end-session", p.endSession)
	return http.StripPrefix(p.path, mux), nil
}

// client returns the client with that id and whether it exists.
func (p *provider) client(id string) (Client, bool) {
	for _, c := range p.Clients {
		if c.ID == id {
			return c, true
		}
	}
	return Client{}, false
}
