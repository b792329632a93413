// Package reference serves the OpenAPI document as a page for people. It uses Redoc, which is
// embedded in the program, so that the page makes no external requests.
//
// `make reference` downloads Redoc.
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

// redoc is the unmodified redoc.standalone.js of npm's redoc 2.5.4, compressed.
//
//go:embed redoc.js.gz
var redoc []byte

//go:embed page.html
var page []byte

// contentSecurityPolicy allows the page to run the renderer, which creates inline styles and searches
// in a worker created from a text, and restricts requests to the page's own server.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; worker-src blob:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// WritePage writes the page. It refers to redoc.js and openapi.yaml by relative addresses.
func WritePage(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", contentSecurityPolicy)
	return write(w, page)
}

// WriteScript writes the renderer, compressed if the client accepts that. Browsers may cache it for
// a day: it is the only response that is large and the same for all callers.
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
	_, _ = w.Write(content) // fails only if the caller has disconnected
	return nil
}
