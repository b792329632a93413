// Package login signs a person in with their browser, as RFC 8252 says native programs
// should: the authorization code flow with PKCE, whose answer comes to a listener on this
// machine. Where the browser is on another device, they confirm a code there (RFC 8628).
// There is no secret but what the person gets.
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

// patience is how long a person may take in the browser; timeout how long the issuer may
// take to answer; soon how long before its end a token is renewed.
const (
	signInTimeout  = 5 * time.Minute
	requestTimeout = 30 * time.Second
	renewBefore    = 30 * time.Second
)

// Issuer is where people sign in, as GET /api/auth says.
type Issuer struct {
	Address  string
	ClientID string
	Audience string // asked for where it is not empty
	Scopes   []string
}

// Provider is an issuer that has said where it is asked for what.
type Provider struct {
	issuer    Issuer
	endpoints endpoints
}

// Discover asks an issuer how people sign in.
func Discover(ctx context.Context, issuer Issuer) (*Provider, error) {
	found, err := discover(ctx, issuer.Address)
	if err != nil {
		return nil, err
	}
	return &Provider{issuer: issuer, endpoints: found}, nil
}

// ByBrowser signs a person in with the browser of this machine. visit is told the address
// that they have to open, once answers can come.
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

// authParams is what is asked for beside scopes.
func (p *Provider) authParams() []oauth2.AuthCodeOption {
	if p.issuer.Audience == "" {
		return nil
	}
	return []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("audience", p.issuer.Audience)}
}

func (p *Provider) newCredential(token *oauth2.Token) *Credential {
	return &Credential{Token: *token, ClientID: p.issuer.ClientID, TokenURL: p.endpoints.Token}
}

// withTimeout bounds how long each call to an issuer takes.
func withTimeout(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Timeout: requestTimeout})
}

// errSignInTimeout means that nobody signed in.
var errSignInTimeout = errors.New("nobody has signed in within five minutes")
