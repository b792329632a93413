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
	Style template.CSS
	Fault string
}

// show asks who somebody is. The page runs no script; its form leads on to the client,
// which the policy has to name for browsers that hold redirects to it.
func (p *provider) show(w http.ResponseWriter, asked request, fault string) {
	page, err := template.New("page").Parse(pageText)
	if err != nil {
		http.Error(w, "The page cannot be made.", http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256([]byte(style))
	client, _ := url.Parse(asked.redirect) // one of those that are registered
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+
		"'; form-action 'self' "+client.Scheme+"://"+client.Host+"; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	if fault != "" {
		w.WriteHeader(http.StatusBadRequest)
	}
	_ = page.Execute(w, shown{Style: template.CSS(style), Fault: fault}) // the caller has gone
}
