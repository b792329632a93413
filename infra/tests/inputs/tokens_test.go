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

// tokens are the ways to pretend to be somebody.
func tokens() map[string]trial {
	return map[string]trial{
		"missing":                   unauthorized(func(*testing.T, *world) string { return "" }),
		"garbage":                   unauthorized(func(*testing.T, *world) string { return "Bearer garbage" }),
		"another scheme":            unauthorized(func(*testing.T, *world) string { return "Basic bWU6bWU=" }),
		"alg none":                  unauthorized(forged(jwt.SigningMethodNone, func(*testing.T, *world) any { return jwt.UnsafeAllowNoneSignatureType })),
		"HS256 with the public key": unauthorized(forged(jwt.SigningMethodHS256, publicKey)),
		"another key":               unauthorized(forged(jwt.SigningMethodES256, anotherKey)),
		"expired":                   unauthorized(own(nil, -time.Minute)),
		"another issuer":            unauthorized(own(gateway.Claims{"iss": "https://elsewhere.example"}, time.Hour)),
		"another audience":          unauthorized(own(gateway.Claims{"aud": "elsewhere"}, time.Hour)),
		"claims changed":            unauthorized(swapped),
		"signature cut off":         unauthorized(unsigned),
		"not yet valid":             unauthorized(forged(jwt.SigningMethodES256, ownKey, func(c jwt.MapClaims) { c["nbf"] = time.Now().Add(time.Hour).Unix() })),
		"without an end":            unauthorized(forged(jwt.SigningMethodES256, ownKey, func(c jwt.MapClaims) { delete(c, "exp") })),
		"two in one header":         unauthorized(func(_ *testing.T, w *world) string { return "Bearer " + w.token + ", Bearer " + w.token }),
	}
}

// unauthorized sends a header Authorization and wants 401, in API Gateway's words.
func unauthorized(header func(*testing.T, *world) string) trial {
	return func(t *testing.T, w *world) {
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

// claims are those of a token that is taken if the issuer's key signs it.
func claims(w *world) jwt.MapClaims {
	return jwt.MapClaims{
		"iss": w.issuer.Name(), "aud": gateway.Audience, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
		gateway.OrganisationClaim: "1", gateway.ScopeClaim: "imports:read imports:write exports:read",
	}
}

// forged is a token that would be taken, were it not for who signed it and how;
// change, if any, makes it one that would not even then.
func forged(by jwt.SigningMethod, key func(*testing.T, *world) any, change ...func(jwt.MapClaims)) func(*testing.T, *world) string {
	return func(t *testing.T, w *world) string {
		all := claims(w)
		for _, f := range change {
			f(all)
		}
		token, err := jwt.NewWithClaims(by, all).SignedString(key(t, w))
		require.NoError(t, err)
		return "Bearer " + token
	}
}

// ownKey is the issuer's key, as nobody should have it.
func ownKey(t *testing.T, w *world) any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Dir, "issuer.pem"))
	require.NoError(t, err)
	block, _ := pem.Decode(text)
	require.NotNil(t, block)
	key, err := x509.ParseECPrivateKey(block.Bytes)
	require.NoError(t, err)
	return key
}

// publicKey is what everybody may know, used as a shared secret.
func publicKey(t *testing.T, w *world) any {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(&ownKey(t, w).(*ecdsa.PrivateKey).PublicKey)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func anotherKey(t *testing.T, _ *world) any {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

// own is a token that the issuer itself has signed.
func own(c gateway.Claims, valid time.Duration) func(*testing.T, *world) string {
	return func(t *testing.T, w *world) string {
		all := gateway.Claims{gateway.OrganisationClaim: "1", gateway.ScopeClaim: "imports:read"}
		for name, value := range c {
			all[name] = value
		}
		token, err := w.issuer.Sign(all, valid)
		require.NoError(t, err)
		return "Bearer " + token
	}
}

// swapped has the claims of another token of the same issuer.
func swapped(t *testing.T, w *world) string {
	other, err := w.issuer.Sign(gateway.Claims{gateway.OrganisationClaim: "2"}, time.Hour)
	require.NoError(t, err)
	mine := strings.Split(w.token, ".")
	return "Bearer " + mine[0] + "." + strings.Split(other, ".")[1] + "." + mine[2]
}

func unsigned(_ *testing.T, w *world) string {
	mine := strings.Split(w.token, ".")
	return "Bearer " + mine[0] + "." + mine[1] + "."
}
