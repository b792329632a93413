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

// pageData is the content of the page.
type pageData struct {
	Style  template.CSS
	Fault  string
	Device bool   // a terminal is waiting and shows a code
	Code   string // as entered
	Said   string // message shown instead of the form
}

// showSignIn shows the sign-in form. Its submission redirects to the client, which the policy
// must allow for browsers that apply form-action to redirects.
func (p *provider) showSignIn(w http.ResponseWriter, asked authRequest, fault string) {
	client, _ := url.Parse(asked.redirect) // valid: it is a registered URL
	renderPage(w, pageData{Fault: fault}, "'self' "+client.Scheme+"://"+client.Host)
}

// showDevice shows the form for the code that a terminal displays.
func (p *provider) showDevice(w http.ResponseWriter, code, fault string) {
	renderPage(w, pageData{Device: true, Code: code, Fault: fault}, "'self'")
}

// showDecision shows the outcome of a device code.
func (p *provider) showDecision(w http.ResponseWriter, confirmed bool) {
	message := "The terminal is not signed in."
	if confirmed {
		message = "The terminal is signed in. You can close this page."
	}
	renderPage(w, pageData{Said: message}, "'none'")
}

// renderPage responds with the page, which runs no script; targets are the form targets that
// its policy allows.
func renderPage(w http.ResponseWriter, what pageData, targets string) {
	page, err := template.New("page").Parse(pageText)
	if err != nil {
		http.Error(w, "The page cannot be rendered.", http.StatusInternalServerError)
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
	_ = page.Execute(w, what) // the client has disconnected
}
