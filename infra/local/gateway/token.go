package gateway

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

// tokenTTL is the default validity of a token of the local issuer.
const tokenTTL = 12 * time.Hour

// Claims that Loadbay reads.
const (
	OrganisationClaim = "organisation_id"
	ScopeClaim        = "scope"
)

// TokenHandler issues tokens to any caller. Its query parameters are organisation (if
// omitted, the token has no such claim), scope (separated by spaces; if omitted, all
// scopes), sub (default "local") and seconds, the validity of the token, which may be
// negative.
func TokenHandler(issuer *Issuer, allScopes string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		claims := Claims{"sub": "local", ScopeClaim: allScopes}
		for parameter, claim := range map[string]string{"organisation": OrganisationClaim, "scope": ScopeClaim, "sub": "sub"} {
			if query.Has(parameter) {
				claims[claim] = query.Get(parameter)
			}
		}
		valid := tokenTTL
		if query.Has("seconds") {
			seconds, err := strconv.Atoi(query.Get("seconds"))
			if err != nil {
				http.Error(w, "seconds must be a whole number", http.StatusBadRequest)
				return
			}
			valid = time.Duration(seconds) * time.Second
		}
		token, err := issuer.Sign(claims, valid)
		if err != nil {
			http.Error(w, "the token could not be signed", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, token+"\n") // the client has disconnected
	})
}
