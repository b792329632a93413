package openid

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"

	"github.com/loadbay/loadbay/infra/local/gateway"
)

// The kinds of grants of the token endpoint.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

var (
	errGrant   = refusal{"invalid_grant", "it is not known, was used before, or has expired"}
	errScope   = refusal{"invalid_scope", "the scope openid is needed"}
	errRequest = refusal{"invalid_request", "the form cannot be read, or a parameter is there twice"}
)

// token is the token endpoint.
func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	forPages(w)
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || twice(r.PostForm) {
		refuseToken(w, errRequest)
		return
	}
	var g *grant
	var fault *refusal
	switch r.PostForm.Get("grant_type") {
	case grantCode:
		g, fault = p.redeem(r)
	case grantRefresh:
		g, fault = p.renew(r)
	case grantDevice:
		g, fault = p.poll(r)
	default:
		fault = &refusal{"unsupported_grant_type", "authorization_code, refresh_token or that of a device"}
	}
	if fault == nil && (g.line.cut.Load() || g.who.gone.Load()) {
		fault = &errGrant
	}
	if fault != nil {
		refuseToken(w, *fault)
		return
	}
	p.give(w, g)
}

// redeem takes a code.
func (p *provider) redeem(r *http.Request) (*grant, *refusal) {
	g, ok := p.codes.get(r.PostForm.Get("code"))
	if !ok || g.client != r.PostForm.Get("client_id") || g.redirect != r.PostForm.Get("redirect_uri") {
		return nil, &errGrant
	}
	if g.used.Swap(true) {
		g.line.cut.Store(true)
		return nil, &errGrant
	}
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	if subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(g.challenge)) != 1 {
		return nil, &refusal{"invalid_grant", "code_verifier does not fit code_challenge"}
	}
	return g, nil
}

// renew takes a refresh token.
func (p *provider) renew(r *http.Request) (*grant, *refusal) {
	found, ok := p.renewals.get(r.PostForm.Get("refresh_token"))
	if !ok || found.client != r.PostForm.Get("client_id") {
		return nil, &errGrant
	}
	if found.used.Swap(true) {
		found.line.cut.Store(true)
		return nil, &errGrant
	}
	return found.grant, nil
}

// give responds with tokens.
func (p *provider) give(w http.ResponseWriter, g *grant) {
	scopes := p.scopesOf(g)
	access, err := p.Issuer.Sign(gateway.Claims{
		"sub": g.who.subject, gateway.OrganisationClaim: g.who.organisation, gateway.ScopeClaim: scopes, "client_id": g.client,
	}, g.who.tokens)
	identity := gateway.Claims{"sub": g.who.subject}
	if g.nonce != "" {
		identity["nonce"] = g.nonce
	}
	id, idErr := p.Issuer.SignFor(g.client, identity, g.who.tokens)
	refresh, ok := p.renewals.add(&renewal{grant: g}, refreshLife)
	if err != nil || idErr != nil || !ok {
		refuseToken(w, refusal{"temporarily_unavailable", "tokens cannot be given now"})
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": int(g.who.tokens.Seconds()), "refresh_token": refresh, "id_token": id, "scope": scopes,
	})
}

func refuseToken(w http.ResponseWriter, f refusal) {
	writeJSON(w, http.StatusBadRequest, map[string]string{"error": f.code, "error_description": f.about})
}
