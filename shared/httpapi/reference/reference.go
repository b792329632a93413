// Package reference shows the OpenAPI document as a page for people: Redoc, which
// is in the program, so that the page asks nobody else for anything.
//
// `make reference` fetches Redoc anew.
//
// Tested by shared/httpapi: both responses.
package reference

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// redoc is redoc.standalone.js of npm's redoc 2.5.4, as it is there, compressed.
//
//go:embed redoc.js.gz
var redoc []byte

//go:embed page.html
var page []byte

// contentSecurityPolicy lets the page run the renderer, which writes its styles into the page and
// searches in a worker that it makes of a text, and lets it read from its own server only.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; worker-src blob:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// WritePage writes the page. It refers to redoc.js and openapi.yaml beside it.
func WritePage(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", contentSecurityPolicy)
	return write(w, page)
}

// WriteScript writes the renderer, compressed if the request takes that. Browsers may keep it for a
// day: it is the only response that is large and the same for everybody.
func WriteScript(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=86400")
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		return write(w, redoc)
	}
	script, err := gzip.NewReader(bytes.NewReader(redoc))
	if err != nil {
		return fmt.Errorf("renderer: %w", err)
	}
	w.WriteHeader(http.StatusOK)
	_, err = io.Copy(w, script) //nolint:gosec // our own bytes
	return err
}

func write(w http.ResponseWriter, content []byte) error {
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(content) // fails only if the caller has gone
	return nil
}
