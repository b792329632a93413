package openid

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"

	"github.com/loadbay/loadbay/infra/local/gateway"
)

// Grant types of the token endpoint.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

var (
	errInvalidGrant   = protocolError{"invalid_grant", "it is unknown, already used or expired"}
	errInvalidScope   = protocolError{"invalid_scope", "the scope openid is required"}
	errInvalidRequest = protocolError{"invalid_request", "the form is not valid, or a parameter occurs twice"}
)

// token is the token endpoint.
func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	allowAnyOrigin(w)
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || hasRepeated(r.PostForm) {
		writeTokenError(w, errInvalidRequest)
		return
	}
	var g *grant
	var fault *protocolError
	switch r.PostForm.Get("grant_type") {
	case grantCode:
		g, fault = p.exchangeCode(r)
	case grantRefresh:
		g, fault = p.refresh(r)
	case grantDevice:
		g, fault = p.pollDevice(r)
	default:
		fault = &protocolError{"unsupported_grant_type", "must be authorization_code, refresh_token or device_code"}
	}
	if fault == nil && (g.family.revoked.Load() || g.person.signedOut.Load()) {
		fault = &errInvalidGrant
	}
	if fault != nil {
		writeTokenError(w, *fault)
		return
	}
	p.writeTokens(w, g)
}

// exchangeCode exchanges a code for a grant.
func (p *provider) exchangeCode(r *http.Request) (*grant, *protocolError) {
	g, ok := p.codes.get(r.PostForm.Get("code"))
	if !ok || g.client != r.PostForm.Get("client_id") || g.redirect != r.PostForm.Get("redirect_uri") {
		return nil, &errInvalidGrant
	}
	if g.used.Swap(true) {
		g.family.revoked.Store(true)
		return nil, &errInvalidGrant
	}
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	if subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(g.challenge)) != 1 {
		return nil, &protocolError{"invalid_grant", "code_verifier does not match code_challenge"}
	}
	return g, nil
}

// refresh exchanges a refresh token for a grant.
func (p *provider) refresh(r *http.Request) (*grant, *protocolError) {
	found, ok := p.refreshTokens.get(r.PostForm.Get("refresh_token"))
	if !ok || found.client != r.PostForm.Get("client_id") {
		return nil, &errInvalidGrant
	}
	if found.used.Swap(true) {
		found.family.revoked.Store(true)
		return nil, &errInvalidGrant
	}
	return found.grant, nil
}

// writeTokens responds with tokens.
func (p *provider) writeTokens(w http.ResponseWriter, g *grant) {
	scopes := p.grantedScopes(g)
	access, err := p.Issuer.Sign(gateway.Claims{
		"sub": g.person.subject, gateway.OrganisationClaim: g.person.organisation, gateway.ScopeClaim: scopes, "client_id": g.client,
	}, g.person.tokenTTL)
	identity := gateway.Claims{"sub": g.person.subject}
	if g.nonce != "" {
		identity["nonce"] = g.nonce
	}
	id, idErr := p.Issuer.SignForAudience(g.client, identity, g.person.tokenTTL)
	refresh, ok := p.refreshTokens.addSecret(&refreshToken{grant: g}, refreshTTL)
	if err != nil || idErr != nil || !ok {
		writeTokenError(w, protocolError{"temporarily_unavailable", "tokens cannot be issued now"})
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": int(g.person.tokenTTL.Seconds()), "refresh_token": refresh, "id_token": id, "scope": scopes,
	})
}

func writeTokenError(w http.ResponseWriter, f protocolError) {
	writeJSON(w, http.StatusBadRequest, map[string]string{"error": f.code, "error_description": f.description})
}
