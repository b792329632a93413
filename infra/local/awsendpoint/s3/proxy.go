package s3

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"sync"
)

// copyBuffer is the buffer size for forwarding bodies.
const copyBuffer = 256 << 10

// newProxy returns a proxy that forwards requests unchanged: the signature covers the host, the
// escaped path and the query.
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

// handleResponse completes a creation before its response goes to the client.
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
		return fmt.Errorf("announce an object in %s: %w", safeName(c.key), err)
	}
	return nil
}

func succeeded(c *creation, status int) bool {
	return status/100 == 2 || c.reason == reasonForm && status == http.StatusSeeOther
}

// errRetry makes the client retry although the child has responded.
var errRetry = errors.New("the folder of the object was deleted during creation")

// respondError reports that the child is unavailable, after which the client may retry, and
// determines in the background whether the object was stored nevertheless.
func (g *Gateway) respondError(w http.ResponseWriter, r *http.Request, err error) {
	g.config.Logger.WarnContext(r.Context(), "local S3: no response", "method", r.Method, "path", safePath(r.URL.Path), "error", err)
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

// buffers is a pool of buffers for copying bodies.
type buffers struct{ pool sync.Pool }

func newBuffers() *buffers {
	return &buffers{pool: sync.Pool{New: func() any { return new([copyBuffer]byte) }}}
}

// Get implements httputil.BufferPool.
func (b *buffers) Get() []byte { return b.pool.Get().(*[copyBuffer]byte)[:] }

// Put implements httputil.BufferPool.
func (b *buffers) Put(buffer []byte) { b.pool.Put((*[copyBuffer]byte)(buffer)) }
