package gateway_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/gateway"
)

// fakeIssuer is an OpenID Connect issuer that changes its keys.
type fakeIssuer struct {
	url     string
	keys    atomic.Value // []map[string]string
	down    atomic.Bool
	fetches atomic.Int32
	changes func(document map[string]any)
}

func newFakeIssuer(t *testing.T, keys ...map[string]string) *fakeIssuer {
	t.Helper()
	f := &fakeIssuer{}
	f.keys.Store(keys)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.down.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		document := map[string]any{"keys": f.keys.Load()}
		if strings.HasSuffix(r.URL.Path, "/openid-configuration") {
			document = map[string]any{"issuer": f.url, "authorization_endpoint": f.url + "/a", "token_endpoint": f.url + "/t", "jwks_uri": f.url + "/keys"}
			if f.changes != nil {
				f.changes(document)
			}
		} else {
			f.fetches.Add(1)
		}
		_ = json.NewEncoder(w).Encode(document)
	}))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

func (f *fakeIssuer) open(t *testing.T) (*gateway.RemoteIssuer, error) {
	t.Helper()
	return gateway.NewRemoteIssuer(t.Context(), gateway.RemoteConfig{Issuer: f.url, Audience: "loadbay", Clients: []string{"console"}, Client: http.DefaultClient})
}

func encodeKeyPart(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func newRSAKey(t *testing.T, id string, bits int) (*rsa.PrivateKey, map[string]string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	require.NoError(t, err)
	return key, map[string]string{"kty": "RSA", "use": "sig", "kid": id, "n": encodeKeyPart(key.N.Bytes()), "e": encodeKeyPart(big.NewInt(int64(key.E)).Bytes())}
}

func newECKey(t *testing.T, id string) (*ecdsa.PrivateKey, map[string]string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	point, err := key.PublicKey.Bytes()
	require.NoError(t, err)
	return key, map[string]string{"kty": "EC", "kid": id, "crv": "P-384", "x": encodeKeyPart(point[1:49]), "y": encodeKeyPart(point[49:])}
}

// sign returns a token for this installation, changed as the test needs.
func (f *fakeIssuer) sign(t *testing.T, method jwt.SigningMethod, key crypto.PrivateKey, id string, change map[string]any) string {
	t.Helper()
	claims := jwt.MapClaims{"iss": f.url, "aud": "loadbay", "exp": time.Now().Add(time.Minute).Unix(), "sub": "ada", "organisation_id": 7, "scope": "imports:read imports:write"}
	for name, value := range change {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	token := jwt.NewWithClaims(method, claims)
	if id != "" {
		token.Header["kid"] = id
	}
	text, err := token.SignedString(key)
	require.NoError(t, err)
	return text
}

func TestRemoteIssuerAcceptsItsTokens(t *testing.T) {
	t.Parallel()
	rsaKey, rsaPublic := newRSAKey(t, "r", 2048)
	ecKey, ecPublic := newECKey(t, "e")
	f := newFakeIssuer(t, rsaPublic, ecPublic, map[string]string{"kty": "oct", "kid": "o", "k": "AAAA"})
	issuer, err := f.open(t)
	require.NoError(t, err)
	require.Equal(t, []string{f.url}, issuer.Origins())
	for name, token := range map[string]string{
		"RSA":               f.sign(t, jwt.SigningMethodRS256, rsaKey, "r", nil),
		"RSA-PSS":           f.sign(t, jwt.SigningMethodPS256, rsaKey, "r", nil),
		"ECDSA":             f.sign(t, jwt.SigningMethodES384, ecKey, "e", nil),
		"several":           f.sign(t, jwt.SigningMethodRS256, rsaKey, "r", map[string]any{"aud": []string{"other", "loadbay"}}),
		"client of Cognito": f.sign(t, jwt.SigningMethodRS256, rsaKey, "r", map[string]any{"aud": nil, "client_id": "console"}),
	} {
		claims, err := issuer.Verify(t.Context(), token)
		require.NoError(t, err, name)
		require.Equal(t, "7", claims["organisation_id"], name)
		require.Equal(t, "imports:read imports:write", claims["scope"], name)
	}
}

func TestRemoteIssuerRejectsOtherTokens(t *testing.T) {
	t.Parallel()
	key, public := newRSAKey(t, "r", 2048)
	stranger, _ := newRSAKey(t, "r", 2048)
	f := newFakeIssuer(t, public)
	issuer, err := f.open(t)
	require.NoError(t, err)
	for name, token := range map[string]string{
		"other key":            f.sign(t, jwt.SigningMethodRS256, stranger, "r", nil),
		"unknown key":          f.sign(t, jwt.SigningMethodRS256, key, "x", nil),
		"expired":              f.sign(t, jwt.SigningMethodRS256, key, "r", map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}),
		"without an end":       f.sign(t, jwt.SigningMethodRS256, key, "r", map[string]any{"exp": nil}),
		"not yet valid":        f.sign(t, jwt.SigningMethodRS256, key, "r", map[string]any{"nbf": time.Now().Add(time.Minute).Unix()}),
		"other issuer":         f.sign(t, jwt.SigningMethodRS256, key, "r", map[string]any{"iss": f.url + "/"}),
		"other audience":       f.sign(t, jwt.SigningMethodRS256, key, "r", map[string]any{"aud": "console", "client_id": "console"}),
		"no audience":          f.sign(t, jwt.SigningMethodRS256, key, "r", map[string]any{"aud": nil}),
		"other client":         f.sign(t, jwt.SigningMethodRS256, key, "r", map[string]any{"aud": nil, "client_id": "x"}),
		"public key as secret": f.sign(t, jwt.SigningMethodHS256, []byte(public["n"]), "r", nil),
		"unsigned":             f.sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "r", nil),
		"nonsense":             "a.b.c",
	} {
		_, err := issuer.Verify(t.Context(), token)
		require.Error(t, err, name)
		require.Contains(t, []string{"the token is not valid", "the token has expired"}, err.Error(), name)
	}
}

// An issuer changes its keys; tokens with invented keys do not cause a request each, and an issuer
// that is down does not sign anybody out.
func TestRemoteIssuerKeysAreReplaced(t *testing.T) {
	t.Parallel()
	first, firstPublic := newRSAKey(t, "1", 2048)
	f := newFakeIssuer(t, firstPublic)
	issuer, err := f.open(t)
	require.NoError(t, err)
	require.EqualValues(t, 1, f.fetches.Load())
	for range 5 {
		_, err = issuer.Verify(t.Context(), f.sign(t, jwt.SigningMethodRS256, first, "invented", nil))
		require.Error(t, err)
	}
	require.EqualValues(t, 1, f.fetches.Load(), "the keys were read a moment ago")

	second, secondPublic := newRSAKey(t, "2", 2048)
	f.keys.Store([]map[string]string{secondPublic})
	gateway.ForgetFetch(issuer)
	_, err = issuer.Verify(t.Context(), f.sign(t, jwt.SigningMethodRS256, second, "2", nil))
	require.NoError(t, err)
	_, err = issuer.Verify(t.Context(), f.sign(t, jwt.SigningMethodRS256, first, "1", nil))
	require.Error(t, err, "the issuer has withdrawn the first key")

	f.down.Store(true)
	gateway.ForgetFetch(issuer)
	_, err = issuer.Verify(t.Context(), f.sign(t, jwt.SigningMethodRS256, second, "2", nil))
	require.NoError(t, err)
	_, err = issuer.Verify(t.Context(), f.sign(t, jwt.SigningMethodRS256, first, "1", nil))
	require.Error(t, err)
}

func TestUnusableIssuersAreRefused(t *testing.T) {
	t.Parallel()
	_, public := newRSAKey(t, "r", 2048)
	_, short := newRSAKey(t, "r", 1024)
	for want, f := range map[string]*fakeIssuer{
		"there is no key": newFakeIssuer(t, short),
		"use that name":   {changes: func(d map[string]any) { d["issuer"] = "https://other.example" }},
		"https":           {changes: func(d map[string]any) { d["token_endpoint"] = "http://issuer.example/token" }},
	} {
		if f.changes != nil {
			changes := f.changes
			f = newFakeIssuer(t, public)
			f.changes = changes
		}
		_, err := f.open(t)
		require.ErrorContains(t, err, want)
	}
	_, err := gateway.NewRemoteIssuer(t.Context(), gateway.RemoteConfig{Issuer: "http://issuer.example", Audience: "a", Client: http.DefaultClient})
	require.ErrorContains(t, err, "https")
	f := newFakeIssuer(t, public)
	f.down.Store(true)
	_, err = f.open(t)
	require.ErrorContains(t, err, "502 Bad Gateway")
}
