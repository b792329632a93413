// Package login signs a person in with their browser, as RFC 8252 says native programs
// should: the authorization code flow with PKCE, whose answer comes to a listener on this
// machine. There is no secret but what the person gets.
//
// Tested by infra/tests/cli: against the provider of a running stack.
package login

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/oauth2"

	"github.com/loadbay/loadbay/shared/signin"
)

// patience is how long a person may take in the browser; timeout how long the issuer may
// take to answer; soon how long before its end a token is renewed.
const (
	patience = 5 * time.Minute
	timeout  = 30 * time.Second
	soon     = 30 * time.Second
)

// Issuer is where people sign in, as GET /api/auth says.
type Issuer struct {
	Address  string
	ClientID string
	Audience string // asked for where it is not empty
	Scopes   []string
}

// Run signs a person in. visit is told the address that they have to open, once answers can
// come.
func Run(ctx context.Context, issuer Issuer, visit func(address string)) (*Credential, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ctx = context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Timeout: timeout})
	endpoints, err := discover(ctx, issuer.Address)
	if err != nil {
		return nil, err
	}
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	desk, err := listen(ctx, signin.CommandPorts(), expected{state: state, issuer: issuer.Address})
	if err != nil {
		return nil, err
	}
	defer desk.close()
	flow := oauth2.Config{
		ClientID: issuer.ClientID, Scopes: issuer.Scopes, RedirectURL: desk.redirect,
		Endpoint: oauth2.Endpoint{AuthURL: endpoints.Authorization, TokenURL: endpoints.Token, AuthStyle: oauth2.AuthStyleInParams},
	}
	asked := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	if issuer.Audience != "" {
		asked = append(asked, oauth2.SetAuthURLParam("audience", issuer.Audience))
	}
	visit(flow.AuthCodeURL(state, asked...))
	code, err := desk.wait(ctx)
	if err != nil {
		return nil, err
	}
	token, err := flow.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, fmt.Errorf("get the token: %w", err)
	}
	return &Credential{Token: *token, ClientID: issuer.ClientID, TokenURL: endpoints.Token}, nil
}

// errLate means that nobody signed in.
var errLate = errors.New("nobody has signed in within five minutes")
