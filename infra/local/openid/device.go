package openid

import (
	"crypto/rand"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// The minimum interval between polls of a device, and how much it grows (RFC 8628, section 3.5).
// The tolerance allows for delays on the network.
const (
	pollInterval  = time.Second
	slowDownStep  = 5 * time.Second
	pollTolerance = pollInterval / 2
)

// deviceCodeTTL is how long a device's codes are valid by default. They are stored for
// expiredCodeRetention longer, so that an expired code can be reported as such.
const (
	deviceCodeTTL        = 10 * time.Minute
	expiredCodeRetention = time.Hour
)

// device is a program without a browser that waits for a person to confirm (RFC 8628).
type device struct {
	client    string
	scopes    []string
	userCode  string
	expiresAt time.Time

	mu       sync.Mutex
	interval time.Duration
	lastPoll time.Time // time of the last poll
	refused  bool
	grant    *grant // nil until a person has confirmed
}

// authorizeDevice is the device authorization endpoint.
func (p *provider) authorizeDevice(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || hasRepeated(r.PostForm) {
		writeTokenError(w, errInvalidRequest)
		return
	}
	client, ok := p.client(r.PostForm.Get("client_id"))
	if !ok {
		writeTokenError(w, protocolError{"invalid_client", "no client has this client_id"})
		return
	}
	life := p.DeviceCodeTTL
	if life == 0 {
		life = deviceCodeTTL
	}
	d := &device{client: client.ID, scopes: strings.Fields(r.PostForm.Get("scope")), userCode: newUserCode(), expiresAt: time.Now().Add(life), interval: pollInterval}
	if !slices.Contains(d.scopes, scopeOpenID) {
		writeTokenError(w, errInvalidScope)
		return
	}
	code, ok := p.devices.addSecret(d, life+expiredCodeRetention)
	if !ok || !p.userCodes.put(d.userCode, d, life) {
		writeTokenError(w, protocolError{"temporarily_unavailable", "too many pending sign-ins"})
		return
	}
	page, shown := p.Issuer.Name()+"/device", formatCode(d.userCode)
	writeJSON(w, http.StatusOK, map[string]any{
		"device_code": code, "user_code": shown, "verification_uri": page, "verification_uri_complete": page + "?user_code=" + shown,
		"expires_in": int(life.Seconds()), "interval": int(pollInterval.Seconds()),
	})
}

// pollDevice answers a device that asks whether a person has confirmed.
func (p *provider) pollDevice(r *http.Request) (*grant, *protocolError) {
	d, ok := p.devices.get(r.PostForm.Get("device_code"))
	if !ok || d.client != r.PostForm.Get("client_id") {
		return nil, &errInvalidGrant
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	hurried := now.Sub(d.lastPoll) < d.interval-pollTolerance
	d.lastPoll = now
	switch {
	case d.refused:
		return nil, &protocolError{"access_denied", "the sign-in was rejected"}
	case now.After(d.expiresAt):
		return nil, &protocolError{"expired_token", "the code expired"}
	case d.grant != nil && d.grant.used.Swap(true):
		d.grant.family.revoked.Store(true)
		return nil, &errInvalidGrant
	case d.grant != nil:
		return d.grant, nil
	case hurried:
		d.interval += slowDownStep
		return nil, &protocolError{"slow_down", "polling too fast"}
	default:
		return nil, &protocolError{"authorization_pending", "the code was not confirmed yet"}
	}
}

// devicePage shows the form for a code and an identity.
func (p *provider) devicePage(w http.ResponseWriter, r *http.Request) {
	p.showDevice(w, r.URL.Query().Get("user_code"), "")
}

// confirmDevice processes the form of that page.
func (p *provider) confirmDevice(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form is not valid.", http.StatusBadRequest)
		return
	}
	given := r.PostForm.Get("user_code")
	d, ok := p.userCodes.get(normaliseCode(given))
	if !ok {
		p.showDevice(w, given, "This code is unknown or has expired.")
		return
	}
	var who *person
	if r.PostForm.Get("answer") != "refuse" {
		var fault string
		if who, fault = readPerson(r.PostForm); fault != "" {
			p.showDevice(w, given, fault)
			return
		}
	}
	p.userCodes.remove(d.userCode)
	d.decide(who)
	p.showDecision(w, who != nil)
}

// decide records who has confirmed; nil means that the request was denied. Only the first
// decision counts.
func (d *device) decide(who *person) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.refused || d.grant != nil:
	case who == nil:
		d.refused = true
	default:
		d.grant = &grant{authRequest: authRequest{client: d.client, scopes: d.scopes}, person: who, family: &tokenFamily{}}
	}
}

// userLetters contains no vowels, so that codes form no words, and no characters that are
// easily confused (RFC 8628, section 6.1).
const (
	userLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userLength  = 8
)

// newUserCode returns a code that is easy to type.
func newUserCode() string {
	var code strings.Builder
	for range userLength {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(userLetters))))
		if err != nil {
			panic(err) // crypto/rand does not fail
		}
		code.WriteByte(userLetters[n.Int64()])
	}
	return code.String()
}

// formatCode returns a code in its display form.
func formatCode(code string) string { return code[:userLength/2] + "-" + code[userLength/2:] }

// normaliseCode returns a typed code without optional characters.
func normaliseCode(typed string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(userLetters, r) {
			return r
		}
		return -1
	}, strings.ToUpper(typed))
}
