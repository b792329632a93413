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
	request
	who  *person
	used atomic.Bool
	line *line
}

// renewal is what a refresh token stands for.
type renewal struct {
	*grant
	used atomic.Bool
}

// line is all that came of one code. It is cut where a code or a refresh token is used
// twice: one of the two has stolen it (RFC 9700, sections 2.1.1 and 4.14.2).
type line struct{ cut atomic.Bool }

// grant sends a browser back with a code.
func (p *provider) grant(w http.ResponseWriter, r *http.Request, asked request, who *person) {
	code, ok := p.codes.add(&grant{request: asked, who: who, line: &line{}}, codeLife)
	if !ok {
		p.refuse(w, r, asked, refusal{"temporarily_unavailable", "too many have signed in"})
		return
	}
	p.answer(w, r, asked, url.Values{"code": {code}})
}

// scopesOf are those of what was asked for that the person may have, with spaces between.
func (p *provider) scopesOf(g *grant) string {
	var granted []string
	for _, scope := range g.scopes {
		if scope == scopeOpenID || slices.Contains(p.Scopes, scope) || scope == p.Operator && g.who.operator {
			granted = append(granted, scope)
		}
	}
	return strings.Join(granted, " ")
}
