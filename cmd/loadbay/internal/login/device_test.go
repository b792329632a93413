package login_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/login"
)

// fakeIssuer issues codes and answers token requests with the given answers in order.
type fakeIssuer struct {
	url          string
	codeLifetime int // in seconds
	codes        bool
	answers      []string // error codes; "" issues a token
	requests     []time.Time
}

func (i *fakeIssuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	var document map[string]any
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		document = map[string]any{"issuer": i.url, "authorization_endpoint": i.url + "/authorize", "token_endpoint": i.url + "/token"}
		if i.codes {
			document["device_authorization_endpoint"] = i.url + "/codes"
		}
	case "/codes":
		document = map[string]any{"device_code": "d", "user_code": "U", "verification_uri": i.url + "/device", "expires_in": i.codeLifetime, "interval": 1}
	case "/token":
		i.requests = append(i.requests, time.Now())
		document = map[string]any{"access_token": "a", "token_type": "Bearer"}
		if refusal := i.answers[min(len(i.requests), len(i.answers))-1]; refusal != "" {
			w.WriteHeader(http.StatusBadRequest)
			document = map[string]any{"error": refusal}
		}
	}
	_ = json.NewEncoder(w).Encode(document)
}

// signIn signs a person in with a code.
func (i *fakeIssuer) signIn(t *testing.T) (*login.Credential, []login.DeviceCode, error) {
	t.Helper()
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	i.url = server.URL
	provider, err := login.Discover(t.Context(), login.Issuer{Address: i.url, ClientID: "c"})
	require.NoError(t, err)
	require.Equal(t, i.codes, provider.OffersCodes())
	var shown []login.DeviceCode
	credential, err := provider.ByCode(t.Context(), func(c login.DeviceCode) { shown = append(shown, c) })
	return credential, shown, err
}

func TestDeviceCodeOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		issuer  fakeIssuer
		message string
	}{
		"refused":                     {fakeIssuer{codes: true, codeLifetime: 60, answers: []string{"access_denied"}}, "rejected in the browser"},
		"expired":                     {fakeIssuer{codes: true, codeLifetime: 60, answers: []string{"authorization_pending", "expired_token"}}, "the code expired"},
		"code expires while pending":  {fakeIssuer{codes: true, codeLifetime: 2, answers: []string{"authorization_pending"}}, "the code expired"},
		"other error from the issuer": {fakeIssuer{codes: true, codeLifetime: 60, answers: []string{"invalid_grant"}}, "invalid_grant"},
		"device codes not supported":  {fakeIssuer{}, "LOADBAY_TOKEN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, shown, err := c.issuer.signIn(t)
			require.ErrorContains(t, err, c.message)
			require.Equal(t, c.issuer.codes, len(shown) == 1)
		})
	}
}

// slow_down increases the interval by five seconds (RFC 8628, section 3.5).
func TestSlowDownIncreasesInterval(t *testing.T) {
	t.Parallel()
	i := &fakeIssuer{codes: true, codeLifetime: 60, answers: []string{"slow_down", ""}}
	credential, shown, err := i.signIn(t)
	require.NoError(t, err)
	require.Equal(t, "a", credential.AccessToken)
	require.Equal(t, i.url+"/token", credential.TokenURL)
	require.Equal(t, []login.DeviceCode{{Text: "U", URL: i.url + "/device"}}, shown)
	require.GreaterOrEqual(t, i.requests[1].Sub(i.requests[0]), 5*time.Second)
}
