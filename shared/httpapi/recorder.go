package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// responseRecorder notes the status and the size of a response. It holds the response until
// it is released, unless there is no bound for it.
type responseRecorder struct {
	http.ResponseWriter
	maxBytes int // bytes, as encodedBytes counts them; 0: any number, which go at once
	held     bytes.Buffer
	status   int
	bytes    int64
}

// WriteHeader implements http.ResponseWriter.
func (r *responseRecorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	if r.maxBytes == 0 {
		r.ResponseWriter.WriteHeader(status)
	}
}

// Write implements io.Writer.
func (r *responseRecorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	to := r.ResponseWriter.Write
	if r.maxBytes > 0 {
		to = r.held.Write
	}
	n, err := to(p)
	r.bytes += int64(n)
	return n, err
}

// tooLarge reports whether what is held is more than a response can carry.
func (r *responseRecorder) tooLarge() bool {
	return r.maxBytes > 0 && encodedBytes(!isBinary(r.Header().Get("Content-Type")), r.held.Bytes()) > r.maxBytes
}

// isBinary reports whether content of a type goes in base64.
func isBinary(contentType string) bool {
	return strings.HasPrefix(contentType, "application/vnd.") || contentType == "application/octet-stream"
}

// reset gives up what is held, so that another response can be written.
func (r *responseRecorder) reset() {
	if r.maxBytes == 0 {
		return
	}
	for name := range r.Header() {
		if name != http.CanonicalHeaderKey(requestIDHeader) {
			r.Header().Del(name)
		}
	}
	setSecurityHeaders(r.Header())
	r.held.Reset()
	r.status, r.bytes = 0, 0
}

// setETag gives a document its ETag, and says that nothing has changed, without the document,
// to a caller who has just that one: asking again and again costs neither side much. How many
// entries a list has is a part of what it says, though its page may be as it was.
func (r *responseRecorder) setETag(request *http.Request) {
	if r.maxBytes == 0 || r.status != http.StatusOK || request.Method != http.MethodGet || r.Header().Get("Content-Type") != "application/json" {
		return
	}
	tag := r.Header().Get("ETag") // of what has versions
	if tag == "" {
		sum := sha256.New()
		sum.Write(r.held.Bytes())
		sum.Write([]byte(r.Header().Get(totalCount)))
		tag = `"` + hex.EncodeToString(sum.Sum(nil)[:16]) + `"`
		r.Header().Set("ETag", tag)
	}
	if !matchesETag(request.Header.Values("If-None-Match"), tag) {
		return
	}
	r.Header().Del("Content-Type")
	r.held.Reset()
	r.status, r.bytes = http.StatusNotModified, 0
}

// matchesETag reports whether a list of tags, of which any may be weak, has that one.
func matchesETag(lists []string, tag string) bool {
	for _, list := range lists {
		for one := range strings.SplitSeq(list, ",") {
			if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
				return true
			}
		}
	}
	return false
}

// release lets go what is held.
func (r *responseRecorder) release() {
	if r.maxBytes == 0 || r.status == 0 {
		return
	}
	r.ResponseWriter.WriteHeader(r.status)
	_, _ = r.ResponseWriter.Write(r.held.Bytes()) // fails only if the caller has gone
}
