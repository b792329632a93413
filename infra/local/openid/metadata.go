package openid

import (
	"encoding/json"
	"net/http"
)

// metadata serves the discovery document (OpenID Connect Discovery 1.0, section 3).
func (p *provider) metadata(w http.ResponseWriter, _ *http.Request) {
	name := p.Issuer.Name()
	allowAnyOrigin(w)
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer":                                         name,
		"authorization_endpoint":                         name + "/authorize",
		"device_authorization_endpoint":                  name + "/device-authorization",
		"token_endpoint":                                 name + "/token",
		"end_session_endpoint":                           name + "/end-session",
		"jwks_uri":                                       name + "/keys",
		"response_types_supported":                       []string{"code"},
		"grant_types_supported":                          []string{grantCode, grantRefresh, grantDevice},
		"code_challenge_methods_supported":               []string{challengeMethod},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"subject_types_supported":                        []string{"public"},
		"id_token_signing_alg_values_supported":          []string{"ES256"},
		"scopes_supported":                               append([]string{scopeOpenID, p.Operator}, p.Scopes...),
		"authorization_response_iss_parameter_supported": true,
	})
}

// keys serves the keys that verify the tokens.
func (p *provider) keys(w http.ResponseWriter, _ *http.Request) {
	allowAnyOrigin(w)
	writeJSON(w, http.StatusOK, map[string]any{"keys": []any{p.Issuer.PublicKey()}})
}

// allowAnyOrigin lets pages of any origin read a response. This is safe for requests without
// cookies: only a client that knows the secret gets anything.
func allowAnyOrigin(w http.ResponseWriter) { w.Header().Set("Access-Control-Allow-Origin", "*") }

func writeJSON(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document) // the client has disconnected
}
