package openid

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
)

//go:embed page.css
var pageStyle string

//go:embed page.html
var pageText string

// pageData is what the page says.
type pageData struct {
	Style  template.CSS
	Fault  string
	Device bool   // a terminal waits, which shows a code
	Code   string // as it was given
	Said   string // instead of the form
}

// showSignIn asks who somebody is. The form leads on to the client, which the policy has to name
// for browsers that hold redirects to it.
func (p *provider) showSignIn(w http.ResponseWriter, asked authRequest, fault string) {
	client, _ := url.Parse(asked.redirect) // one of those that are registered
	renderPage(w, pageData{Fault: fault}, "'self' "+client.Scheme+"://"+client.Host)
}

// showDevice asks for the code that a terminal shows as well.
func (p *provider) showDevice(w http.ResponseWriter, code, fault string) {
	renderPage(w, pageData{Device: true, Code: code, Fault: fault}, "'self'")
}

// showDecision says what has become of a code.
func (p *provider) showDecision(w http.ResponseWriter, confirmed bool) {
	said := "The terminal is not signed in."
	if confirmed {
		said = "The terminal is signed in. This page can be closed."
	}
	renderPage(w, pageData{Said: said}, "'none'")
}

// renderPage responds with the page, which runs no script; targets are where its form leads.
func renderPage(w http.ResponseWriter, what pageData, targets string) {
	page, err := template.New("page").Parse(pageText)
	if err != nil {
		http.Error(w, "The page cannot be made.", http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256([]byte(pageStyle))
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+
		"'; form-action "+targets+"; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	if what.Fault != "" {
		w.WriteHeader(http.StatusBadRequest)
	}
	what.Style = template.CSS(pageStyle)
	_ = page.Execute(w, what) // the caller has gone
}
