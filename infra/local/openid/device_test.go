package openid_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pairing is the response to a device that requests codes.
type pairing struct {
	Device   string `json:"device_code"`
	User     string `json:"user_code"`
	Page     string `json:"verification_uri"`
	Complete string `json:"verification_uri_complete"`
	Seconds  int    `json:"expires_in"`
	Interval int    `json:"interval"`
	Error    string `json:"error"`
}

func (b *browser) startPairing(t *testing.T, client, scope string) pairing {
	t.Helper()
	_, body := b.post(t, "/device-authorization", url.Values{"client_id": {client}, "scope": {scope}}, "")
	var got pairing
	require.NoError(t, json.Unmarshal([]byte(body), &got))
	return got
}

func pollForm(code string) url.Values {
	return url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {code}, "client_id": {"console"}}
}

func TestDeviceSignIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, text := b.get(t, "/.well-known/openid-configuration")
	require.Contains(t, text, `"device_authorization_endpoint":"`+b.url+`/device-authorization"`)
	got := b.startPairing(t, "console", "openid read admin else")
	require.Regexp(t, `^[B-Z]{4}-[B-Z]{4}$`, got.User)
	require.Equal(t, pairing{Device: got.Device, User: got.User, Page: b.url + "/device", Complete: b.url + "/device?user_code=" + got.User, Seconds: 600, Interval: 1}, got)
	require.Equal(t, "authorization_pending", b.tokens(t, pollForm(got.Device)).Error)

	response, page := b.get(t, strings.TrimPrefix(got.Complete, b.url))
	require.Contains(t, page, `value="`+got.User+`"`)
	require.Contains(t, response.Header.Get("Content-Security-Policy"), "form-action 'self';")
	typed := strings.ToLower(strings.ReplaceAll(got.User, "-", " "))
	response, _ = b.post(t, "/device", signInForm("user_code", typed), "http://elsewhere.test")
	require.Equal(t, http.StatusForbidden, response.StatusCode, "a request from another site cannot confirm a code")
	response, page = b.post(t, "/device", signInForm("user_code", typed, "organisation", "0"), b.origin())
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.Contains(t, page, "The organisation must be a number from 1.")
	_, page = b.post(t, "/device", signInForm("user_code", typed), b.origin())
	require.Contains(t, page, "The terminal is signed in")
	_, page = b.post(t, "/device", signInForm("user_code", typed, "name", "eve"), b.origin())
	require.Contains(t, page, "This code is unknown", "a confirmed code cannot be confirmed again")

	other := pollForm(got.Device)
	other.Set("client_id", "other")
	require.Equal(t, "invalid_grant", b.tokens(t, other).Error)
	given := b.tokens(t, pollForm(got.Device))
	require.Equal(t, "openid read", given.Scope)
	claims, err := b.issuer.Verify(t.Context(), given.Access)
	require.NoError(t, err)
	require.Equal(t, []string{"ada", "2"}, []string{claims["sub"], claims["organisation_id"]})
	require.Equal(t, "invalid_grant", b.tokens(t, pollForm(got.Device)).Error, "a device code works once")
	require.Equal(t, "invalid_grant", b.tokens(t, refreshForm(given.Refresh)).Error, "reuse suggests theft, so the refresh token is revoked")
}

func TestRefusedOrExpiredDeviceCode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	refused := b.startPairing(t, "console", "openid")
	_, page := b.post(t, "/device", url.Values{"user_code": {refused.User}, "answer": {"refuse"}}, b.origin())
	require.Contains(t, page, "The terminal is not signed in")
	require.Equal(t, "access_denied", b.tokens(t, pollForm(refused.Device)).Error)
	require.Equal(t, "invalid_client", b.startPairing(t, "nobody", "openid").Error)
	require.Equal(t, "invalid_scope", b.startPairing(t, "console", "read").Error)

	b = setupWithTTL(t, time.Nanosecond)
	late := b.startPairing(t, "console", "openid")
	response, page := b.post(t, "/device", signInForm("user_code", late.User), b.origin())
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.Contains(t, page, "or has expired")
	require.Equal(t, "expired_token", b.tokens(t, pollForm(late.Device)).Error)
}

// The device sends many more polls than the interval allows within the duration of the test,
// so some are too early and are slowed down.
func TestFastPollingIsSlowedDown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.startPairing(t, "console", "openid")
	require.Equal(t, "authorization_pending", b.tokens(t, pollForm(got.Device)).Error)
	require.Eventually(t, func() bool { return b.tokens(t, pollForm(got.Device)).Error == "slow_down" }, time.Minute, time.Millisecond)
}
