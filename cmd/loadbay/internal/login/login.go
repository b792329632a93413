// Package login signs a person in with their browser as RFC 8252 recommends for native apps:
// the authorization code flow with PKCE, with a redirect to a listener on this machine. If the
// browser is on another device, the person confirms a code there (RFC 8628). The only secret is
// the person's own token.
//
// infra/tests/cli signs people in at the provider of a running stack.
package login

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/oauth2"

	"github.com/loadbay/loadbay/shared/runtime/signin"
)

// signInTimeout bounds the wait for the person in the browser and requestTimeout the wait for
// the issuer. Tokens are renewed renewBefore their expiry.
const (
	signInTimeout  = 5 * time.Minute
	requestTimeout = 30 * time.Second
	renewBefore    = 30 * time.Second
)

// Issuer describes where people sign in, as GET /api/auth returns it.
type Issuer struct {
	Address  string
	ClientID string
	Audience string // requested unless it is empty
	Scopes   []string
}

// Provider is an issuer with its discovered endpoints.
type Provider struct {
	issuer    Issuer
	endpoints endpoints
}

// Discover reads the endpoints of an issuer.
func Discover(ctx context.Context, issuer Issuer) (*Provider, error) {
	found, err := discover(ctx, issuer.Address)
	if err != nil {
		return nil, err
	}
	return &Provider{issuer: issuer, endpoints: found}, nil
}

// ByBrowser signs a person in with the browser of this machine. visit receives the address to
// open, once the redirect can be received.
func (p *Provider) ByBrowser(ctx context.Context, visit func(address string)) (*Credential, error) {
	ctx, cancel := context.WithTimeout(withTimeout(ctx), signInTimeout)
	defer cancel()
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	desk, err := listenForCallback(ctx, signin.CommandPorts(), expectedCallback{state: state, issuer: p.issuer.Address})
	if err != nil {
		return nil, err
	}
	defer desk.close()
	flow := p.oauthConfig()
	flow.RedirectURL = desk.redirectURL
	visit(flow.AuthCodeURL(state, append(p.authParams(), oauth2.S256ChallengeOption(verifier))...))
	code, err := desk.wait(ctx)
	if err != nil {
		return nil, err
	}
	token, err := flow.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, fmt.Errorf("get the token: %w", err)
	}
	return p.newCredential(token), nil
}

func (p *Provider) oauthConfig() oauth2.Config {
	return oauth2.Config{ClientID: p.issuer.ClientID, Scopes: p.issuer.Scopes, Endpoint: oauth2.Endpoint{
		AuthURL: p.endpoints.Authorization, DeviceAuthURL: p.endpoints.Device, TokenURL: p.endpoints.Token, AuthStyle: oauth2.AuthStyleInParams,
	}}
}

// authParams are the request parameters other than the scopes.
func (p *Provider) authParams() []oauth2.AuthCodeOption {
	if p.issuer.Audience == "" {
		return nil
	}
	return []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("audience", p.issuer.Audience)}
}

func (p *Provider) newCredential(token *oauth2.Token) *Credential {
	return &Credential{Token: *token, ClientID: p.issuer.ClientID, TokenURL: p.endpoints.Token}
}

// withTimeout limits each call to an issuer.
func withTimeout(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Timeout: requestTimeout})
}

// errSignInTimeout means that the person did not sign in in time.
var errSignInTimeout = errors.New("sign-in was not completed within five minutes")
