package s3

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"sync"
)

// copyBuffer is the size of the pieces in which bodies are passed on.
const copyBuffer = 256 << 10

// newProxy passes requests on unchanged: the signature covers the host, the
// path as it was escaped and the query.
func (g *Gateway) newProxy() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", socketHost
			r.Out.URL.RawQuery = r.In.URL.RawQuery
			r.Out.Host = r.In.Host
		},
		Transport:      g.child.transport,
		FlushInterval:  -1,
		BufferPool:     newBuffers(),
		ModifyResponse: g.handleResponse,
		ErrorHandler:   g.respondError,
	}
}

// handleResponse settles a creation before its response goes on to the client.
func (g *Gateway) handleResponse(answer *http.Response) error {
	if removed, err := g.parentRemoved(answer); err != nil || removed {
		return errors.Join(err, errRetry)
	}
	c, ok := answer.Request.Context().Value(creationKey{}).(*creation)
	if !ok {
		return nil
	}
	if !succeeded(c, answer.StatusCode) {
		return g.journal.remove(c.id)
	}
	if c.key == "" {
		if c.key, ok = formKey(c.bucket, answer); !ok || !g.isAnnounced(c.key) {
			return nil
		}
	}
	if err := g.recordCreated(answer.Request.Context(), c); err != nil {
		return fmt.Errorf("announce %s/%s: %w", c.bucket, c.key, err)
	}
	return nil
}

func succeeded(c *creation, status int) bool {
	return status/100 == 2 || c.reason == reasonForm && status == http.StatusSeeOther
}

// errRetry is why the client is to try again although the child has responded.
var errRetry = errors.New("the folder of the object went while it was created")

// respondError responds that the child has gone, after which the client may retry, and
// finds out in the background whether the object was stored all the same.
func (g *Gateway) respondError(w http.ResponseWriter, r *http.Request, err error) {
	g.config.Logger.WarnContext(r.Context(), "local S3: no response", "method", r.Method, "path", r.URL.Path, "error", err)
	if c, ok := r.Context().Value(creationKey{}).(*creation); ok && c.id != 0 {
		g.resolveInBackground(c.id)
	}
	writeUnavailable(w)
}

func writeUnavailable(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprint(w, "<Error><Code>ServiceUnavailable</Code><Message>the local S3 did not respond; try again</Message></Error>")
}

// buffers lends the pieces for copying bodies.
type buffers struct{ pool sync.Pool }

func newBuffers() *buffers {
	return &buffers{pool: sync.Pool{New: func() any { return new([copyBuffer]byte) }}}
}

// Get lends a buffer.
func (b *buffers) Get() []byte { return b.pool.Get().(*[copyBuffer]byte)[:] }

// Put takes it back.
func (b *buffers) Put(buffer []byte) { b.pool.Put((*[copyBuffer]byte)(buffer)) }
