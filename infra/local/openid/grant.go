package openid

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
)

// grant is what a code is exchanged for.
type grant struct {
	authRequest
	person *person
	used   atomic.Bool
	family *tokenFamily
}

// refreshToken is the stored state of a refresh token.
type refreshToken struct {
	*grant
	used atomic.Bool
}

// tokenFamily is everything issued from one code. It is revoked when a code or a refresh token
// is used twice, because one of the two users has stolen it (RFC 9700, sections 2.1.1 and 4.14.2).
type tokenFamily struct{ revoked atomic.Bool }

// issueCode redirects a browser back to the client with a code.
func (p *provider) issueCode(w http.ResponseWriter, r *http.Request, asked authRequest, who *person) {
	code, ok := p.codes.addSecret(&grant{authRequest: asked, person: who, family: &tokenFamily{}}, codeTTL)
	if !ok {
		p.redirectError(w, r, asked, protocolError{"temporarily_unavailable", "too many users are signed in"})
		return
	}
	p.redirectBack(w, r, asked, url.Values{"code": {code}})
}

// grantedScopes returns the requested scopes that the person may have, separated by spaces.
func (p *provider) grantedScopes(g *grant) string {
	var granted []string
	for _, scope := range g.scopes {
		if scope == scopeOpenID || slices.Contains(p.Scopes, scope) || scope == p.Operator && g.person.operator {
			granted = append(granted, scope)
		}
	}
	return strings.Join(granted, " ")
}
