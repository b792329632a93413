package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// errMissingToken means that a request lacks the required token.
var errMissingToken = errors.New("no token")

// authorize returns the claims of the request: those of its token, those of an
// anonymous caller, or nil for a public route, which API Gateway does not authorise.
func (g *gateway) authorize(r *http.Request) (Claims, error) {
	if _, _, public := g.publicRoute(r); public {
		return nil, nil
	}
	header := r.Header.Get("Authorization")
	if header == "" {
		if g.TokenRequired {
			return nil, errMissingToken
		}
		return g.Anonymous, nil
	}
	// API Gateway accepts the token with and without "Bearer".
	token := header
	if scheme, rest, found := strings.Cut(header, " "); found && strings.EqualFold(scheme, "Bearer") {
		token = rest
	}
	return g.Verifier.Verify(r.Context(), strings.TrimSpace(token))
}

// challengeHeader returns the WWW-Authenticate header of a rejection (RFC 6750, section 3).
func challengeHeader(err error) string {
	if errors.Is(err, errMissingToken) {
		return "Bearer"
	}
	return fmt.Sprintf(`Bearer scope="" error="invalid_token" error_description=%q`, err.Error())
}
