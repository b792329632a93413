package inputs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
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

// tokenCases test attempts to impersonate a caller.
func tokenCases() map[string]testCase {
	return map[string]testCase{
		"missing":                   requireUnauthorized(func(*testing.T, *harness) string { return "" }),
		"garbage":                   requireUnauthorized(func(*testing.T, *harness) string { return "Bearer garbage" }),
		"another scheme":            requireUnauthorized(func(*testing.T, *harness) string { return "Basic bWU6bWU=" }),
		"alg none":                  requireUnauthorized(forgedToken(jwt.SigningMethodNone, func(*testing.T, *harness) any { return jwt.UnsafeAllowNoneSignatureType })),
		"HS256 with the public key": requireUnauthorized(forgedToken(jwt.SigningMethodHS256, publicKey)),
		"another key":               requireUnauthorized(forgedToken(jwt.SigningMethodES256, tokenOfOtherKey)),
		"expired":                   requireUnauthorized(issuerToken(nil, -time.Minute)),
		"another issuer":            requireUnauthorized(issuerToken(gateway.Claims{"iss": "https://elsewhere.example"}, time.Hour)),
		"another audience":          requireUnauthorized(issuerToken(gateway.Claims{"aud": "elsewhere"}, time.Hour)),
		"claims changed":            requireUnauthorized(tokenWithSwappedClaims),
		"signature cut off":         requireUnauthorized(unsignedToken),
		"not yet valid":             requireUnauthorized(forgedToken(jwt.SigningMethodES256, issuerKey, func(c jwt.MapClaims) { c["nbf"] = time.Now().Add(time.Hour).Unix() })),
		"without an end":            requireUnauthorized(forgedToken(jwt.SigningMethodES256, issuerKey, func(c jwt.MapClaims) { delete(c, "exp") })),
		"two in one header":         requireUnauthorized(func(_ *testing.T, w *harness) string { return "Bearer " + w.token + ", Bearer " + w.token }),
	}
}

// requireUnauthorized sends an Authorization header and expects 401 with API Gateway's message.
func requireUnauthorized(header func(*testing.T, *harness) string) testCase {
	return func(t *testing.T, w *harness) {
		for _, at := range []struct{ method, path string }{{"GET", "/api/imports"}, {"POST", "/api/imports"}, {"GET", "/v1/exports?resource=users"}, {"GET", "/api/no/such/address"}} {
			call, err := http.NewRequestWithContext(t.Context(), at.method, "http://"+w.API+at.path, http.NoBody)
			require.NoError(t, err)
			if h := header(t, w); h != "" {
				call.Header.Set("Authorization", h)
			}
			got, err := http.DefaultClient.Do(call)
			require.NoError(t, err)
			got.Body.Close()
			require.Equal(t, http.StatusUnauthorized, got.StatusCode, at.path)
			require.Contains(t, got.Header.Get("WWW-Authenticate"), "Bearer")
		}
	}
}

// testClaims returns claims that are accepted if the issuer's key signs them.
func testClaims(w *harness) jwt.MapClaims {
	return jwt.MapClaims{
		"iss": w.issuer.Name(), "aud": gateway.Audience, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
		gateway.OrganisationClaim: "1", gateway.ScopeClaim: "imports:read imports:write exports:read",
	}
}

// forgedToken returns a token that would be accepted if it had a valid signature; change, if
// given, makes its claims invalid too.
func forgedToken(by jwt.SigningMethod, key func(*testing.T, *harness) any, change ...func(jwt.MapClaims)) func(*testing.T, *harness) string {
	return func(t *testing.T, w *harness) string {
		all := testClaims(w)
		for _, f := range change {
			f(all)
		}
		token, err := jwt.NewWithClaims(by, all).SignedString(key(t, w))
		require.NoError(t, err)
		return "Bearer " + token
	}
}

// issuerKey returns the issuer's private key, which callers do not have.
func issuerKey(t *testing.T, w *harness) any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Dir, "issuer.pem"))
	require.NoError(t, err)
	block, _ := pem.Decode(text)
	require.NotNil(t, block)
	key, err := x509.ParseECPrivateKey(block.Bytes)
	require.NoError(t, err)
	return key
}

// publicKey returns the public key, for use as a shared secret.
func publicKey(t *testing.T, w *harness) any {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(&issuerKey(t, w).(*ecdsa.PrivateKey).PublicKey)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func tokenOfOtherKey(t *testing.T, _ *harness) any {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

// issuerToken returns a token signed by the issuer itself.
func issuerToken(c gateway.Claims, valid time.Duration) func(*testing.T, *harness) string {
	return func(t *testing.T, w *harness) string {
		all := gateway.Claims{gateway.OrganisationClaim: "1", gateway.ScopeClaim: "imports:read"}
		for name, value := range c {
			all[name] = value
		}
		token, err := w.issuer.Sign(all, valid)
		require.NoError(t, err)
		return "Bearer " + token
	}
}

// tokenWithSwappedClaims returns a token with the claims of another token of the same issuer.
func tokenWithSwappedClaims(t *testing.T, w *harness) string {
	other, err := w.issuer.Sign(gateway.Claims{gateway.OrganisationClaim: "2"}, time.Hour)
	require.NoError(t, err)
	mine := strings.Split(w.token, ".")
	return "Bearer " + mine[0] + "." + strings.Split(other, ".")[1] + "." + mine[2]
}

func unsignedToken(_ *testing.T, w *harness) string {
	mine := strings.Split(w.token, ".")
	return "Bearer " + mine[0] + "." + mine[1] + "."
}
