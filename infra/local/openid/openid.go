// Package openid is an OpenID provider for one machine: people sign in as whomever they
// like, and the protocol is that of a real one. It serves the authorization code flow of
// public clients (OAuth 2.1): PKCE by S256 always, redirects as they are registered, codes
// that work once, refresh tokens that are replaced by each use; and for programs without a
// browser the device authorization grant (RFC 8628).
//
// What is signed in is kept in memory: after a restart people sign in again.
package openid

import (
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/loadbay/loadbay/infra/local/gateway"
)

// How long what the provider gives out works.
const (
	codeTTL    = time.Minute
	sessionTTL = 12 * time.Hour
	refreshTTL = 12 * time.Hour
	// tokenTTL is that of access tokens, unless whoever signs in wants another: short,
	// so that what renews them is used.
	tokenTTL = 10 * time.Minute
)

// Client is a program that people sign in with. It has no secret.
type Client struct {
	ID           string
	RedirectURLs []string // where answers may go, each as a whole
	LogoutURLs   []string // where those who sign out may go
}

// Config says for whom a provider signs people in.
type Config struct {
	// Issuer signs tokens. Its name is the address of the provider, without a slash at the end.
	Issuer  *gateway.Issuer
	Clients []Client
	// Scopes are what everybody may do; Operator is the scope of those who operate the installation.
	Scopes   []string
	Operator string
	// DeviceCodeTTL is how long the codes of devices work; 0 is ten minutes.
	DeviceCodeTTL time.Duration
}

// provider serves the endpoints.
type provider struct {
	Config
	path          string                 // of the issuer's address
	sessions      *ttlMap[*person]       // by the value of a browser's cookie
	codes         *ttlMap[*grant]        // by the code; also used ones, to notice a second use
	refreshTokens *ttlMap[*refreshToken] // by the refresh token; also used ones
	devices       *ttlMap[*device]       // by the device's code; also used ones
	userCodes     *ttlMap[*device]       // by the code that is shown, until somebody has answered
}

// person is who has signed in, as they said.
type person struct {
	subject, organisation string
	operator              bool
	tokenTTL              time.Duration // that access tokens are valid
	signedOut             atomic.Bool   // has signed out: nothing is renewed any more
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
	// Other sites have no say in who is signed in.
	own := http.NewCrossOriginProtection()
	mux.Handle("POST /authorize", own.Handler(http.HandlerFunc(p.signIn)))
	mux.Handle("POST /device", own.Handler(http.HandlerFunc(p.confirmDevice)))
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /end-session", p.endSession)
	return http.StripPrefix(p.path, mux), nil
}

// client returns the client of that id and whether there is one.
func (p *provider) client(id string) (Client, bool) {
	for _, c := range p.Clients {
		if c.ID == id {
			return c, true
		}
	}
	return Client{}, false
}
