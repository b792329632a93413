package httpapi

import (
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/organisation/apikey"
	"github.com/loadbay/loadbay/shared/problem"
)

// keyPath is the beginning of the paths that callers with API keys use: /key/api/imports. The gateway
// in front verifies tokens for all other paths, and passes these on as they are. Claims of a token
// have no effect below it, and keys have no effect elsewhere.
const keyPath = "/key"

// identifyKey returns a request below keyPath without that beginning, with the claims of its API key.
// Other requests are unchanged.
func (a *api) identifyKey(w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	path, below := strings.CutPrefix(r.URL.Path, keyPath+"/")
	if !below || a.DB == nil {
		return r, nil
	}
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token, ok := apikey.Parse(text)
	var key *apikey.Key
	if ok && strings.EqualFold(scheme, "Bearer") {
		err := a.DB.InOrganisation(r.Context(), token.Organisation, func(tx pgx.Tx) (err error) {
			key, err = a.DB.UseKey(r.Context(), tx, token)
			return err
		})
		if err != nil {
			return r, err
		}
	}
	if key == nil {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return r, problem.New(problem.Unauthorized, "The API key is missing, unknown, expired or revoked. Create or rotate one, and send it: Authorization: Bearer lbk_….")
	}
	names := a.Auth.Claims
	identified := r.Clone(WithClaims(r.Context(), map[string]string{
		claimSubject: apikey.SubjectPrefix + key.Name, names.organisationName(): token.Organisation.String(), names.scopesName(): strings.Join(key.Scopes, " "),
	}))
	identified.URL.Path, identified.URL.RawPath = "/"+path, strings.TrimPrefix(r.URL.RawPath, keyPath)
	return identified, nil
}
