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

// How often a device may ask, and how much that is slowed down (RFC 8628, section 3.5).
// What comes almost in time has been held up on the way.
const (
	interval  = time.Second
	slower    = 5 * time.Second
	tolerance = interval / 2
)

// deviceLife is how long a device's codes work where nothing else is said; they are
// remembered for remembered longer, so that it can be said that they have expired.
const (
	deviceLife = 10 * time.Minute
	remembered = time.Hour
)

// device is a program without a browser that waits for a person (RFC 8628).
type device struct {
	client   string
	scopes   []string
	userCode string
	until    time.Time

	mu       sync.Mutex
	interval time.Duration
	polled   time.Time // when last
	refused  bool
	granted  *grant // nil until somebody has confirmed
}

// authorizeDevice is the device authorization endpoint.
func (p *provider) authorizeDevice(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || twice(r.PostForm) {
		refuseToken(w, errRequest)
		return
	}
	client, ok := p.client(r.PostForm.Get("client_id"))
	if !ok {
		refuseToken(w, refusal{"invalid_client", "no client has this client_id"})
		return
	}
	life := p.DeviceLife
	if life == 0 {
		life = deviceLife
	}
	d := &device{client: client.ID, scopes: strings.Fields(r.PostForm.Get("scope")), userCode: newUserCode(), until: time.Now().Add(life), interval: interval}
	if !slices.Contains(d.scopes, scopeOpenID) {
		refuseToken(w, errScope)
		return
	}
	code, ok := p.devices.add(d, life+remembered)
	if !ok || !p.userCodes.put(d.userCode, d, life) {
		refuseToken(w, refusal{"temporarily_unavailable", "too many want to sign in"})
		return
	}
	page, shown := p.Issuer.Name()+"/device", readable(d.userCode)
	writeJSON(w, http.StatusOK, map[string]any{
		"device_code": code, "user_code": shown, "verification_uri": page, "verification_uri_complete": page + "?user_code=" + shown,
		"expires_in": int(life.Seconds()), "interval": int(interval.Seconds()),
	})
}

// poll is a device's question whether somebody has confirmed.
func (p *provider) poll(r *http.Request) (*grant, *refusal) {
	d, ok := p.devices.get(r.PostForm.Get("device_code"))
	if !ok || d.client != r.PostForm.Get("client_id") {
		return nil, &errGrant
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	hurried := now.Sub(d.polled) < d.interval-tolerance
	d.polled = now
	switch {
	case d.refused:
		return nil, &refusal{"access_denied", "it was refused"}
	case now.After(d.until):
		return nil, &refusal{"expired_token", "nobody has confirmed the code in time"}
	case d.granted != nil && d.granted.used.Swap(true):
		d.granted.line.cut.Store(true)
		return nil, &errGrant
	case d.granted != nil:
		return d.granted, nil
	case hurried:
		d.interval += slower
		return nil, &refusal{"slow_down", "it asks too often"}
	default:
		return nil, &refusal{"authorization_pending", "nobody has confirmed the code yet"}
	}
}

// devicePage asks for a code, and who somebody is.
func (p *provider) devicePage(w http.ResponseWriter, r *http.Request) {
	p.showDevice(w, r.URL.Query().Get("user_code"), "")
}

// confirm takes that page's form.
func (p *provider) confirm(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form cannot be read.", http.StatusBadRequest)
		return
	}
	given := r.PostForm.Get("user_code")
	d, ok := p.userCodes.get(onlyLetters(given))
	if !ok {
		p.showDevice(w, given, "No terminal shows this code, or it has expired.")
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
	d.settle(who)
	p.showSettled(w, who != nil)
}

// settle says who has confirmed; nil is that somebody has refused. The first answer counts.
func (d *device) settle(who *person) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.refused || d.granted != nil:
	case who == nil:
		d.refused = true
	default:
		d.granted = &grant{request: request{client: d.client, scopes: d.scopes}, who: who, line: &line{}}
	}
}

// userLetters spell no words and are not taken for each other (RFC 8628, section 6.1).
const (
	userLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userLength  = 8
)

// newUserCode is a code that a person can type.
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

// readable is a code as it is shown.
func readable(code string) string { return code[:userLength/2] + "-" + code[userLength/2:] }

// onlyLetters is a code as people type it, without what they may add or leave out.
func onlyLetters(typed string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(userLetters, r) {
			return r
		}
		return -1
	}, strings.ToUpper(typed))
}
