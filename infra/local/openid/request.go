package openid

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Allowed values in a sign-in request.
const (
	scopeOpenID     = "openid"
	challengeMethod = "S256"
	promptNone      = "none"
	promptLogin     = "login"
)

// challengePattern matches a SHA-256 in base64url, as S256 produces it.
var challengePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// authRequest is a client's request at the authorization endpoint.
type authRequest struct {
	client    string
	redirect  string
	state     string
	nonce     string
	challenge string
	scopes    []string
	prompt    string
}

// protocolError is an error of the protocol, for the client.
type protocolError struct{ code, description string }

// readRequest parses a request. If it names an unknown client or an unregistered redirect,
// nothing may be sent there and known is false.
func (p *provider) readRequest(q url.Values) (r authRequest, known bool, fault *protocolError) {
	r = authRequest{
		client: q.Get("client_id"), redirect: q.Get("redirect_uri"), state: q.Get("state"), nonce: q.Get("nonce"),
		challenge: q.Get("code_challenge"), scopes: strings.Fields(q.Get("scope")), prompt: q.Get("prompt"),
	}
	client, ok := p.client(r.client)
	if !ok || !slices.Contains(client.RedirectURLs, r.redirect) {
		return r, false, nil
	}
	switch {
	case hasRepeated(q):
		fault = &protocolError{"invalid_request", "a parameter occurs twice"}
	case q.Get("response_type") != "code":
		fault = &protocolError{"unsupported_response_type", "response_type is not code"}
	case q.Get("code_challenge_method") != challengeMethod, !challengePattern.MatchString(r.challenge):
		fault = &protocolError{"invalid_request", "PKCE with S256 is required"}
	case !slices.Contains(r.scopes, scopeOpenID):
		fault = &errInvalidScope
	}
	return r, true, fault
}

// hasRepeated reports whether a parameter is repeated (RFC 6749, section 3.1).
func hasRepeated(q url.Values) bool {
	for _, values := range q {
		if len(values) > 1 {
			return true
		}
	}
	return false
}

// redirectBack redirects a browser back to the client with these parameters.
func (p *provider) redirectBack(w http.ResponseWriter, r *http.Request, to authRequest, values url.Values) {
	values.Set("iss", p.Issuer.Name())
	if to.state != "" {
		values.Set("state", to.state)
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to.redirect+"?"+values.Encode(), http.StatusSeeOther)
}

func (p *provider) redirectError(w http.ResponseWriter, r *http.Request, to authRequest, f protocolError) {
	p.redirectBack(w, r, to, url.Values{"error": {f.code}, "error_description": {f.description}})
}
