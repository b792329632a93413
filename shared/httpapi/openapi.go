package httpapi

import (
	_ "embed"
	"net/http"

	"github.com/loadbay/loadbay/shared/httpapi/reference"
)

//go:embed openapi.yaml
var openAPIDocument []byte

// serveOpenAPI is GET /openapi.yaml.
func (a *api) serveOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(openAPIDocument) // fails only if the caller has disconnected
	return nil
}

// serveReference is GET /docs.
func (a *api) serveReference(w http.ResponseWriter, _ *http.Request) error {
	return reference.WritePage(w)
}
