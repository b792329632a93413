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
var style string

//go:embed page.html
var pageText string

// shown is what the page says.
type shown struct {
	Style  template.CSS
	Fault  string
	Device bool   // a terminal waits, which shows a code
	Code   string // as it was given
	Said   string // instead of the form
}

// show asks who somebody is. The form leads on to the client, which the policy has to name
// for browsers that hold redirects to it.
func (p *provider) show(w http.ResponseWriter, asked request, fault string) {
	client, _ := url.Parse(asked.redirect) // one of those that are registered
	render(w, shown{Fault: fault}, "'self' "+client.Scheme+"://"+client.Host)
}

// showDevice asks for the code that a terminal shows as well.
func (p *provider) showDevice(w http.ResponseWriter, code, fault string) {
	render(w, shown{Device: true, Code: code, Fault: fault}, "'self'")
}

// showSettled says what has become of a code.
func (p *provider) showSettled(w http.ResponseWriter, confirmed bool) {
	said := "The terminal is not signed in."
	if confirmed {
		said = "The terminal is signed in. This page can be closed."
	}
	render(w, shown{Said: said}, "'none'")
}

// render responds with the page, which runs no script; targets are where its form leads.
func render(w http.ResponseWriter, what shown, targets string) {
	page, err := template.New("page").Parse(pageText)
	if err != nil {
		http.Error(w, "The page cannot be made.", http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256([]byte(style))
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
	what.Style = template.CSS(style)
	_ = page.Execute(w, what) // the caller has gone
}
