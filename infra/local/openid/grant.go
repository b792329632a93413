package openid

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
)

// grant is what a code stands for.
type grant struct {
	authRequest
	person *person
	used   atomic.Bool
	family *tokenFamily
}

// refreshToken is what a refresh token stands for.
type refreshToken struct {
	*grant
	used atomic.Bool
}

// tokenFamily is all that came of one code. It is cut where a code or a refresh token is used
// twice: one of the two has stolen it (RFC 9700, sections 2.1.1 and 4.14.2).
type tokenFamily struct{ revoked atomic.Bool }

// issueCode sends a browser back with a code.
func (p *provider) issueCode(w http.ResponseWriter, r *http.Request, asked authRequest, who *person) {
	code, ok := p.codes.addSecret(&grant{authRequest: asked, person: who, family: &tokenFamily{}}, codeTTL)
	if !ok {
		p.redirectError(w, r, asked, protocolError{"temporarily_unavailable", "too many have signed in"})
		return
	}
	p.redirectBack(w, r, asked, url.Values{"code": {code}})
}

// grantedScopes are those of what was asked for that the person may have, with spaces between.
func (p *provider) grantedScopes(g *grant) string {
	var granted []string
	for _, scope := range g.scopes {
		if scope == scopeOpenID || slices.Contains(p.Scopes, scope) || scope == p.Operator && g.person.operator {
			granted = append(granted, scope)
		}
	}
	return strings.Join(granted, " ")
}
