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

// issuer gives codes, and says to the questions for a token one answer after the other.
type issuer struct {
	url     string
	life    int // of a code, in seconds
	codes   bool
	answers []string // errors; the empty one is a token
	asked   []time.Time
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	var document map[string]any
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		document = map[string]any{"issuer": i.url, "authorization_endpoint": i.url + "/authorize", "token_endpoint": i.url + "/token"}
		if i.codes {
			document["device_authorization_endpoint"] = i.url + "/codes"
		}
	case "/codes":
		document = map[string]any{"device_code": "d", "user_code": "U", "verification_uri": i.url + "/device", "expires_in": i.life, "interval": 1}
	case "/token":
		i.asked = append(i.asked, time.Now())
		document = map[string]any{"access_token": "a", "token_type": "Bearer"}
		if refusal := i.answers[min(len(i.asked), len(i.answers))-1]; refusal != "" {
			w.WriteHeader(http.StatusBadRequest)
			document = map[string]any{"error": refusal}
		}
	}
	_ = json.NewEncoder(w).Encode(document)
}

// signIn signs somebody in by a code.
func (i *issuer) signIn(t *testing.T) (*login.Credential, []login.Code, error) {
	t.Helper()
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	i.url = server.URL
	provider, err := login.Find(t.Context(), login.Issuer{Address: i.url, ClientID: "c"})
	require.NoError(t, err)
	require.Equal(t, i.codes, provider.OffersCodes())
	var shown []login.Code
	credential, err := provider.ByCode(t.Context(), func(c login.Code) { shown = append(shown, c) })
	return credential, shown, err
}

func TestWhatBecomesOfACodeIsSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		issuer issuer
		said   string
	}{
		"refused":             {issuer{codes: true, life: 60, answers: []string{"access_denied"}}, "refused in the browser"},
		"expired":             {issuer{codes: true, life: 60, answers: []string{"authorization_pending", "expired_token"}}, "nobody has confirmed the code in time"},
		"expired without one": {issuer{codes: true, life: 2, answers: []string{"authorization_pending"}}, "nobody has confirmed the code in time"},
		"another fault":       {issuer{codes: true, life: 60, answers: []string{"invalid_grant"}}, "invalid_grant"},
		"none are given":      {issuer{}, "LOADBAY_TOKEN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, shown, err := c.issuer.signIn(t)
			require.ErrorContains(t, err, c.said)
			require.Equal(t, c.issuer.codes, len(shown) == 1)
		})
	}
}

// TestAnIssuerThatIsAskedTooOftenIsAskedLess by five seconds (RFC 8628, section 3.5).
func TestAnIssuerThatIsAskedTooOftenIsAskedLess(t *testing.T) {
	t.Parallel()
	i := &issuer{codes: true, life: 60, answers: []string{"slow_down", ""}}
	credential, shown, err := i.signIn(t)
	require.NoError(t, err)
	require.Equal(t, "a", credential.AccessToken)
	require.Equal(t, i.url+"/token", credential.TokenURL)
	require.Equal(t, []login.Code{{Text: "U", Address: i.url + "/device"}}, shown)
	require.GreaterOrEqual(t, i.asked[1].Sub(i.asked[0]), 5*time.Second)
}
