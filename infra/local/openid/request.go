package openid

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// What a request to sign somebody in may ask for.
const (
	scopeOpenID     = "openid"
	challengeMethod = "S256"
	promptNone      = "none"
	promptLogin     = "login"
)

// challenge is a SHA-256 in base64url, as S256 makes it.
var challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// request is what a client asks for at the authorization endpoint.
type request struct {
	client    string
	redirect  string
	state     string
	nonce     string
	challenge string
	scopes    []string
	prompt    string
}

// refusal is an error of the protocol, for the client.
type refusal struct{ code, about string }

// readRequest reads a request. Where it names no client, or none of its redirects, nothing
// may be sent there: known is false.
func (p *provider) readRequest(q url.Values) (r request, known bool, fault *refusal) {
	r = request{
		client: q.Get("client_id"), redirect: q.Get("redirect_uri"), state: q.Get("state"), nonce: q.Get("nonce"),
		challenge: q.Get("code_challenge"), scopes: strings.Fields(q.Get("scope")), prompt: q.Get("prompt"),
	}
	client, ok := p.client(r.client)
	if !ok || !slices.Contains(client.Redirects, r.redirect) {
		return r, false, nil
	}
	switch {
	case twice(q):
		fault = &refusal{"invalid_request", "a parameter is there twice"}
	case q.Get("response_type") != "code":
		fault = &refusal{"unsupported_response_type", "response_type is not code"}
	case q.Get("code_challenge_method") != challengeMethod, !challenge.MatchString(r.challenge):
		fault = &refusal{"invalid_request", "PKCE with S256 is needed"}
	case !slices.Contains(r.scopes, scopeOpenID):
		fault = &errScope
	}
	return r, true, fault
}

// twice reports whether a parameter is repeated (RFC 6749, section 3.1).
func twice(q url.Values) bool {
	for _, values := range q {
		if len(values) > 1 {
			return true
		}
	}
	return false
}

// answer sends a browser back to the client, with what it gets.
func (p *provider) answer(w http.ResponseWriter, r *http.Request, to request, values url.Values) {
	values.Set("iss", p.Issuer.Name())
	if to.state != "" {
		values.Set("state", to.state)
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to.redirect+"?"+values.Encode(), http.StatusSeeOther)
}

func (p *provider) refuse(w http.ResponseWriter, r *http.Request, to request, f refusal) {
	p.answer(w, r, to, url.Values{"error": {f.code}, "error_description": {f.about}})
}
