package openid

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// cookieName is the cookie that keeps a browser signed in.
const cookieName = "loadbay_openid"

// maxForm limits forms, in bytes; maxName limits a subject, in bytes.
const (
	maxForm = 64 << 10
	maxName = 100
)

// authorize redirects a signed-in browser back with a code, and shows the sign-in page to
// any other browser.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	asked, ok := p.readAuthorization(w, r)
	if !ok {
		return
	}
	who, found := p.sessionPerson(r)
	switch {
	case found && asked.prompt != promptLogin:
		p.issueCode(w, r, asked, who)
	case asked.prompt == promptNone:
		p.redirectError(w, r, asked, protocolError{"login_required", "no user is signed in"})
	default:
		p.showSignIn(w, asked, "")
	}
}

// readAuthorization parses the request, or responds with an error.
func (p *provider) readAuthorization(w http.ResponseWriter, r *http.Request) (authRequest, bool) {
	asked, known, fault := p.readRequest(r.URL.Query())
	if !known {
		http.Error(w, "No client has this client_id and this redirect_uri.", http.StatusBadRequest)
		return asked, false
	}
	if fault != nil {
		p.redirectError(w, r, asked, *fault)
		return asked, false
	}
	return asked, true
}

// signIn processes the form of the sign-in page.
func (p *provider) signIn(w http.ResponseWriter, r *http.Request) {
	asked, ok := p.readAuthorization(w, r)
	if !ok {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form is not valid.", http.StatusBadRequest)
		return
	}
	who, fault := readPerson(r.PostForm)
	if fault != "" {
		p.showSignIn(w, asked, fault)
		return
	}
	session, ok := p.sessions.addSecret(who, sessionTTL)
	if !ok {
		p.redirectError(w, r, asked, protocolError{"temporarily_unavailable", "too many users are signed in"})
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: session, Path: p.path, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	p.issueCode(w, r, asked, who)
}

// readPerson parses the identity that a user entered; fault is the error message.
func readPerson(form url.Values) (who *person, fault string) {
	organisation, err := strconv.ParseInt(form.Get("organisation"), 10, 64)
	if err != nil || organisation < 1 {
		return nil, "The organisation must be a number from 1."
	}
	name := form.Get("name")
	if name == "" || len(name) > maxName {
		return nil, "A name must have 1 to 100 characters."
	}
	who = &person{subject: name, organisation: strconv.FormatInt(organisation, 10), operator: form.Get("operator") != "", tokenTTL: tokenTTL}
	if text := form.Get("seconds"); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil || seconds < 1 || seconds > int(sessionTTL.Seconds()) {
			return nil, "The token lifetime must be 1 to 43200 seconds."
		}
		who.tokenTTL = time.Duration(seconds) * time.Second
	}
	return who, ""
}

// sessionPerson returns the person signed in with the browser's cookie.
func (p *provider) sessionPerson(r *http.Request) (*person, bool) {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return nil, false
	}
	return p.sessions.get(c.Value)
}

// endSession signs a browser out: its tokens can no longer be refreshed.
func (p *provider) endSession(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieName); err == nil {
		if who, ok := p.sessions.get(c.Value); ok {
			who.signedOut.Store(true)
		}
		p.sessions.remove(c.Value)
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: p.path, MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	client, ok := p.client(r.URL.Query().Get("client_id"))
	if to := r.URL.Query().Get("post_logout_redirect_uri"); ok && slices.Contains(client.LogoutURLs, to) {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("Signed out.\n")) // the client has disconnected
}
