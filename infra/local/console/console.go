// Package console serves the built console (console/dist) in front of the HTTP API on one
// machine, as the CloudFront distribution does on AWS: the files of the build, the index page
// at each address of a screen, and the API at its own addresses.
package console

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// indexPage is the file served for every screen.
const indexPage = "index.html"

// immutableCache is the folder of files with a content hash in their names.
const immutableCache = "assets/"

// localPaths returns the paths that only the local stack serves, in addition to the console.
func localPaths() []string { return []string{"/local", "/metrics"} }

// ErrNotBuilt means that there is no build of the console.
var ErrNotBuilt = errors.New("the console is not built")

// Console is a build of the console.
type Console struct {
	files    fs.FS
	policies string
}

// Open returns the build in a folder, or ErrNotBuilt if there is none. Its pages
// may connect to their own origin and to the given origins: those of files and of the
// identity provider.
func Open(folder string, origins ...string) (*Console, error) {
	if _, err := os.Stat(filepath.Join(folder, indexPage)); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotBuilt
	} else if err != nil {
		return nil, fmt.Errorf("open the console: %w", err)
	}
	return &Console{files: os.DirFS(folder), policies: blueprint.ConsolePolicy(origins...)}, nil
}

// Handler serves the console and passes requests for the API on to api.
func (c *Console) Handler(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAPIPath(r.URL.Path) || r.Method != http.MethodGet && r.Method != http.MethodHead {
			api.ServeHTTP(w, r)
			return
		}
		c.serveFile(w, r)
	})
}

func isAPIPath(address string) bool {
	for _, prefix := range append(blueprint.APIPaths(), localPaths()...) {
		if rest, ok := strings.CutPrefix(address, prefix); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// serveFile writes a file of the build. An address without an extension is a screen.
func (c *Console) serveFile(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if path.Ext(name) == "" {
		name = indexPage
	}
	content, err := fs.ReadFile(c.files, name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	setSecurityHeaders(h, c.policies)
	h.Set("Content-Type", contentType(name))
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, immutableCache) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(content) // the client may have disconnected
}

// contentType returns the content type of a file of the build, also where the machine does not
// know the type of the file reader: a program that the page itself unpacks.
func contentType(name string) string {
	if path.Ext(name) == ".gz" {
		return "application/gzip"
	}
	return mime.TypeByExtension(path.Ext(name))
}
