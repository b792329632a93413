package openid_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/gateway"
	"github.com/loadbay/loadbay/infra/local/openid"
)

// The verifier and the challenge of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	redirect  = "http://console.test/signed-in"
)

// browser is an HTTP client that does not follow redirects.
type browser struct {
	*http.Client
	url    string // of the provider
	issuer *gateway.Issuer
}

func setup(t *testing.T) *browser {
	t.Helper()
	return setupWithTTL(t, 0)
}

// setupWithTTL starts a provider with device codes that are valid for deviceLife.
func setupWithTTL(t *testing.T, deviceLife time.Duration) *browser {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	issuer, err := gateway.NewIssuer(server.URL+"/id", filepath.Join(t.TempDir(), "key.pem"))
	require.NoError(t, err)
	provider, err := openid.New(openid.Config{
		Issuer: issuer, Scopes: []string{"read", "write"}, Operator: "admin", DeviceCodeTTL: deviceLife,
		Clients: []openid.Client{{ID: "console", RedirectURLs: []string{redirect}, LogoutURLs: []string{"http://console.test/"}}, {ID: "other", RedirectURLs: []string{redirect}}},
	})
	require.NoError(t, err)
	mux.Handle("/id/", provider)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{url: issuer.Name(), issuer: issuer, Client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (b *browser) do(t *testing.T, r *http.Request) (*http.Response, string) {
	t.Helper()
	response, err := b.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

func (b *browser) get(t *testing.T, path string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+path, http.NoBody)
	require.NoError(t, err)
	return b.do(t, r)
}

func (b *browser) post(t *testing.T, path string, form url.Values, origin string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+path, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	return b.do(t, r)
}

// authorizeQuery returns a valid request, modified by changes.
func authorizeQuery(changes ...string) string {
	q := url.Values{
		"client_id": {"console"}, "redirect_uri": {redirect}, "response_type": {"code"}, "scope": {"openid read admin else"}, "state": {"s"}, "nonce": {"n"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(changes); i += 2 {
		q.Set(changes[i], changes[i+1])
	}
	return "/authorize?" + q.Encode()
}

func signInForm(changes ...string) url.Values {
	form := url.Values{"name": {"ada"}, "organisation": {"2"}}
	for i := 0; i < len(changes); i += 2 {
		form.Set(changes[i], changes[i+1])
	}
	return form
}

// redirectQuery returns the parameters that a client receives in a redirect.
func redirectQuery(t *testing.T, response *http.Response) url.Values {
	t.Helper()
	require.Equal(t, http.StatusSeeOther, response.StatusCode)
	to, err := url.Parse(response.Header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, redirect, to.Scheme+"://"+to.Host+to.Path)
	return to.Query()
}

func (b *browser) code(t *testing.T, changes ...string) string {
	t.Helper()
	response, _ := b.post(t, authorizeQuery(), signInForm(changes...), "")
	return redirectQuery(t, response).Get("code")
}

func codeForm(code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {"console"}, "redirect_uri": {redirect}, "code_verifier": {verifier}}
}

func refreshForm(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {"console"}}
}

// tokens is a response of the token endpoint, or its error.
type tokens struct {
	Access  string `json:"access_token"`
	ID      string `json:"id_token"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
	Seconds int    `json:"expires_in"`
	Error   string `json:"error"`
}

func (b *browser) tokens(t *testing.T, form url.Values) tokens {
	t.Helper()
	response, body := b.post(t, "/token", form, "http://console.test")
	require.Equal(t, "*", response.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
	var got tokens
	require.NoError(t, json.Unmarshal([]byte(body), &got))
	require.Equal(t, got.Error != "", response.StatusCode == http.StatusBadRequest)
	return got
}

func TestSessionSkipsSignIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	response, page := b.get(t, authorizeQuery())
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Contains(t, page, "Operates the installation")
	require.NotContains(t, response.Header.Get("Content-Security-Policy"), "unsafe")
	require.Contains(t, response.Header.Get("Content-Security-Policy"), "form-action 'self' http://console.test;")

	response, _ = b.get(t, authorizeQuery("prompt", "none"))
	require.Equal(t, "login_required", redirectQuery(t, response).Get("error"))

	response, _ = b.post(t, authorizeQuery(), signInForm(), b.origin())
	answer := redirectQuery(t, response)
	require.Equal(t, "s", answer.Get("state"))
	require.Equal(t, b.url, answer.Get("iss"))

	got := b.tokens(t, codeForm(answer.Get("code")))
	require.Equal(t, "openid read", got.Scope, "scopes that the user lacks and unknown scopes are dropped")
	require.Equal(t, 600, got.Seconds)
	claims, err := b.issuer.Verify(t.Context(), got.Access)
	require.NoError(t, err)
	require.Equal(t, []string{"ada", "2", "openid read", "console"}, []string{claims["sub"], claims["organisation_id"], claims["scope"], claims["client_id"]})
	_, err = b.issuer.Verify(t.Context(), got.ID)
	require.Error(t, err, "the API rejects ID tokens")
	id := jwt.MapClaims{}
	_, _, err = jwt.NewParser().ParseUnverified(got.ID, id)
	require.NoError(t, err)
	require.Equal(t, []any{"console", "n", "ada"}, []any{id["aud"], id["nonce"], id["sub"]})

	response, _ = b.get(t, authorizeQuery("prompt", "none"))
	require.NotEmpty(t, redirectQuery(t, response).Get("code"), "the browser has a session")
	response, _ = b.get(t, authorizeQuery("prompt", "login"))
	require.Equal(t, http.StatusOK, response.StatusCode, "prompt=login asks again")
}

func (b *browser) origin() string { return strings.TrimSuffix(b.url, "/id") }

func TestInvalidRequestErrors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, changes := range map[string][]string{
		"unknown client":     {"client_id", "nobody"},
		"other redirect URI": {"redirect_uri", redirect + "/"},
		"none":               {"redirect_uri", ""},
	} {
		response, _ := b.get(t, authorizeQuery(changes...))
		require.Equal(t, http.StatusBadRequest, response.StatusCode, name)
		require.Empty(t, response.Header.Get("Location"), name)
	}
	for code, changes := range map[string][]string{
		"unsupported_response_type": {"response_type", "token"},
		"invalid_scope":             {"scope", "read"},
		"invalid_request":           {"code_challenge_method", "plain"},
	} {
		response, _ := b.get(t, authorizeQuery(changes...))
		require.Equal(t, code, redirectQuery(t, response).Get("error"))
	}
	for _, changes := range [][]string{{"code_challenge", ""}, {"code_challenge", challenge + "x"}} {
		response, _ := b.post(t, authorizeQuery(changes...), signInForm(), "")
		require.Equal(t, "invalid_request", redirectQuery(t, response).Get("error"), "PKCE is required")
	}
	response, _ := b.get(t, authorizeQuery()+"&state=two")
	require.Equal(t, "invalid_request", redirectQuery(t, response).Get("error"))
}

func TestCrossOriginSignInIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	response, _ := b.post(t, authorizeQuery(), signInForm(), "https://elsewhere.example")
	require.Equal(t, http.StatusForbidden, response.StatusCode)
}

func TestInvalidPersonIsShownOnPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, changes := range [][]string{{"name", ""}, {"name", strings.Repeat("a", 101)}, {"organisation", "x"}, {"organisation", "0"}, {"seconds", "0"}, {"seconds", "99999999"}} {
		response, page := b.post(t, authorizeQuery(), signInForm(changes...), "")
		require.Equal(t, http.StatusBadRequest, response.StatusCode)
		require.Contains(t, page, `role="alert"`)
	}
}

func TestCodeIsBoundToClientAndVerifier(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for parameter, value := range map[string]string{"client_id": "other", "redirect_uri": "http://elsewhere/", "code_verifier": challenge, "code": "guessed"} {
		form := codeForm(b.code(t))
		form.Set(parameter, value)
		require.Equal(t, "invalid_grant", b.tokens(t, form).Error, parameter)
	}
	code := b.code(t)
	got := b.tokens(t, codeForm(code))
	require.NotEmpty(t, got.Access)
	require.Equal(t, "invalid_grant", b.tokens(t, codeForm(code)).Error)
	require.Equal(t, "invalid_grant", b.tokens(t, refreshForm(got.Refresh)).Error, "the tokens of a code that was used twice are revoked")
	require.Equal(t, "unsupported_grant_type", b.tokens(t, url.Values{"grant_type": {"password"}}).Error)
	twice := codeForm(b.code(t))
	twice.Add("code", "two")
	require.Equal(t, "invalid_request", b.tokens(t, twice).Error)
}

func TestRefreshTokenRotates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.tokens(t, codeForm(b.code(t, "operator", "yes", "seconds", "1")))
	require.Equal(t, "openid read admin", first.Scope)
	require.Equal(t, 1, first.Seconds)
	stranger := refreshForm(first.Refresh)
	stranger.Set("client_id", "other")
	require.Equal(t, "invalid_grant", b.tokens(t, stranger).Error)
	second := b.tokens(t, refreshForm(first.Refresh))
	require.Equal(t, first.Scope, second.Scope)
	claims, err := b.issuer.Verify(t.Context(), second.Access)
	require.NoError(t, err)
	require.Equal(t, "2", claims["organisation_id"])
	require.Equal(t, "invalid_grant", b.tokens(t, refreshForm(first.Refresh)).Error, "a refresh token works once")
	require.Equal(t, "invalid_grant", b.tokens(t, refreshForm(second.Refresh)).Error, "reuse suggests theft, so the successor is revoked too")
}

func TestSignOutRevokesTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.tokens(t, codeForm(b.code(t)))
	response, _ := b.get(t, "/end-session?client_id=console&post_logout_redirect_uri="+url.QueryEscape("http://elsewhere/"))
	require.Equal(t, http.StatusOK, response.StatusCode, "sign-out does not redirect to other sites")
	require.Equal(t, "invalid_grant", b.tokens(t, refreshForm(got.Refresh)).Error)
	response, _ = b.get(t, authorizeQuery("prompt", "none"))
	require.Equal(t, "login_required", redirectQuery(t, response).Get("error"))
	response, _ = b.get(t, "/end-session?client_id=console&post_logout_redirect_uri="+url.QueryEscape("http://console.test/"))
	require.Equal(t, "http://console.test/", response.Header.Get("Location"))
}

// The published keys verify tokens with a third-party library.
func TestPublishedKeysVerifyTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, text := b.get(t, "/.well-known/openid-configuration")
	var metadata map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &metadata))
	require.Equal(t, b.url, metadata["issuer"])
	_, text = b.get(t, strings.TrimPrefix(metadata["jwks_uri"].(string), b.url))
	var set struct{ Keys []map[string]string }
	require.NoError(t, json.Unmarshal([]byte(text), &set))
	token := b.tokens(t, codeForm(b.code(t))).ID
	_, err := jwt.Parse(token, func(unverified *jwt.Token) (any, error) {
		require.Equal(t, set.Keys[0]["kid"], unverified.Header["kid"])
		return publicKey(t, set.Keys[0]), nil
	}, jwt.WithIssuer(b.url), jwt.WithAudience("console"), jwt.WithLeeway(time.Minute))
	require.NoError(t, err)
}
