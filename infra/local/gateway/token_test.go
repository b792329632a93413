package gateway_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/gateway"
)

// echoClaims responds with the claims that it received, or null.
func echoClaims(_ context.Context, _ string, payload []byte) ([]byte, string, error) {
	var event struct {
		RequestContext struct {
			Authorizer struct {
				JWT struct{ Claims json.RawMessage }
			}
		}
	}
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, "", err
	}
	claims := event.RequestContext.Authorizer.JWT.Claims
	if claims == nil {
		return []byte("null"), "", nil
	}
	return claims, "", nil
}

func bearerHeader(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

func TestTokenSelectsOrganisation(t *testing.T) {
	t.Parallel()
	b := setup(t, echoClaims)
	for query, want := range map[string]gateway.Claims{
		"?organisation=2&scope=imports:read": {"organisation_id": "2", "scope": "imports:read", "sub": "local"},
		"?organisation=3&sub=ada":            {"organisation_id": "3", "scope": "read write", "sub": "ada"},
		"?scope=":                            {"scope": "", "sub": "local"},
	} {
		_, token := b.do(t, http.MethodGet, "/local/token"+query, nil, nil)
		for _, header := range []http.Header{bearerHeader(strings.TrimSpace(token)), {"Authorization": {strings.TrimSpace(token)}}} {
			response, body := b.do(t, http.MethodGet, "/", nil, header)
			require.Equal(t, http.StatusOK, response.StatusCode)
			claims := gateway.Claims{}
			require.NoError(t, json.Unmarshal([]byte(body), &claims))
			require.Equal(t, "https://issuer.example", claims["iss"])
			require.Equal(t, gateway.Audience, claims["aud"])
			for _, name := range []string{"iss", "aud", "iat", "exp"} {
				delete(claims, name)
			}
			require.Equal(t, want, claims)
		}
	}
	response, _ := b.do(t, http.MethodGet, "/local/token?seconds=soon", nil, nil)
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
}

// Claim names differ between issuers, so those of the local issuer can be configured.
func TestClaimNamesAreConfigurable(t *testing.T) {
	t.Parallel()
	issuer := setup(t, echoClaims).issuer.WithClaimNames(map[string]string{gateway.OrganisationClaim: "org", gateway.ScopeClaim: ""})
	token, err := issuer.Sign(gateway.Claims{gateway.OrganisationClaim: "2", gateway.ScopeClaim: "imports:read", "sub": "ada"}, time.Hour)
	require.NoError(t, err)
	claims, err := issuer.Verify(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, []string{"2", "imports:read", "ada"}, []string{claims["org"], claims["scope"], claims["sub"]})
	require.NotContains(t, claims, gateway.OrganisationClaim)
}

func TestRequestWithoutToken(t *testing.T) {
	t.Parallel()
	_, body := setup(t, echoClaims).do(t, http.MethodGet, "/api/imports", nil, nil)
	require.JSONEq(t, `{"organisation":"1"}`, body)

	strict := setup(t, echoClaims, func(c *gateway.Config) { c.TokenRequired = true })
	response, body := strict.do(t, http.MethodGet, "/api/imports", nil, nil)
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.Equal(t, "Bearer", response.Header.Get("WWW-Authenticate"))
	require.JSONEq(t, `{"message":"Unauthorized"}`, body)

	for _, b := range []*harness{setup(t, echoClaims), strict} {
		response, body = b.do(t, http.MethodGet, "/health", nil, bearerHeader("garbage"))
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Equal(t, "null", body, "a public route needs no token")
	}
	response, _ = strict.do(t, http.MethodPost, "/health", nil, nil)
	require.Equal(t, http.StatusUnauthorized, response.StatusCode, "only GET is public on the route")
}

func TestInvalidTokenIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, echoClaims)
	_, good := b.do(t, http.MethodGet, "/local/token?organisation=2", nil, nil)
	good = strings.TrimSpace(good)
	_, expired := b.do(t, http.MethodGet, "/local/token?organisation=2&seconds=-1", nil, nil)
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	soon := time.Now().Add(time.Hour).Unix()
	sign := func(method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
		token, err := jwt.NewWithClaims(method, claims).SignedString(key)
		require.NoError(t, err)
		return token
	}
	ours := jwt.MapClaims{"iss": "https://issuer.example", "aud": gateway.Audience, "exp": soon, "organisation": "2"}
	own := func(c gateway.Claims) string {
		token, err := b.issuer.Sign(c, time.Hour)
		require.NoError(t, err)
		return token
	}
	parts := strings.Split(good, ".")
	for name, token := range map[string]string{
		"garbage":                      "garbage",
		"basic":                        "Basic bWU6bWU=",
		"expired":                      strings.TrimSpace(expired),
		"signed with another key":      sign(jwt.SigningMethodES256, stranger, ours),
		"unsigned":                     sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, ours),
		"signed with a shared secret":  sign(jwt.SigningMethodHS256, []byte("secret"), ours),
		"claims changed after signing": parts[0] + "." + strings.Split(own(gateway.Claims{"organisation": "3"}), ".")[1] + "." + parts[2],
		"other issuer":                 own(gateway.Claims{"iss": "https://elsewhere"}),
		"other audience":               own(gateway.Claims{"aud": "elsewhere"}),
		"signature missing":            parts[0] + "." + parts[1] + ".",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, body := b.do(t, http.MethodGet, "/", nil, bearerHeader(token))
			require.Equal(t, http.StatusUnauthorized, response.StatusCode)
			require.Contains(t, response.Header.Get("WWW-Authenticate"), `error="invalid_token"`)
			require.JSONEq(t, `{"message":"Unauthorized"}`, body)
		})
	}
}

func TestKeySurvivesRestart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "issuer.pem")
	first, err := gateway.NewIssuer("https://issuer.example", file)
	require.NoError(t, err)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	token, err := first.Sign(gateway.Claims{"organisation": "2"}, time.Hour)
	require.NoError(t, err)
	second, err := gateway.NewIssuer("https://issuer.example", file)
	require.NoError(t, err)
	claims, err := second.Verify(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, "2", claims["organisation"])

	require.NoError(t, os.WriteFile(file, []byte("no key"), 0o600))
	_, err = gateway.NewIssuer("https://issuer.example", file)
	require.ErrorContains(t, err, "delete it to create a new one")
}
