package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/shared/output/translation"
)

// responseRecorder records the status and the size of a response. It buffers the response until it
// is released, unless the size is unlimited.
type responseRecorder struct {
	http.ResponseWriter
	maxBytes int // bytes, as counted by encodedBytes; 0: unlimited and unbuffered
	held     bytes.Buffer
	status   int
	bytes    int64
	language translation.Language // of the texts in documents
}

// WriteHeader implements http.ResponseWriter.
func (r *responseRecorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
		setLanguage(r.Header(), r.language)
	}
	if r.maxBytes == 0 {
		r.ResponseWriter.WriteHeader(status)
	}
}

// Write implements io.Writer.
func (r *responseRecorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
		setLanguage(r.Header(), r.language)
	}
	to := r.ResponseWriter.Write
	if r.maxBytes > 0 {
		to = r.held.Write
	}
	n, err := to(p)
	r.bytes += int64(n)
	return n, err
}

// tooLarge reports whether the buffered response exceeds the limit.
func (r *responseRecorder) tooLarge() bool {
	return r.maxBytes > 0 && encodedBytes(!isBinary(r.Header().Get("Content-Type")), r.held.Bytes()) > r.maxBytes
}

// isBinary reports whether content of the type is sent in base64.
func isBinary(contentType string) bool {
	return strings.HasPrefix(contentType, "application/vnd.") || contentType == "application/octet-stream"
}

// reset discards the buffered response, so that another response can be written.
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

// setETag sets the ETag of a document, and replaces the response by 304 without a document if the
// caller already has that version, which makes polling cheap. The tag of a list includes the total
// number of entries, which can change while the page stays the same, and the language.
func (r *responseRecorder) setETag(request *http.Request) {
	if r.maxBytes == 0 || r.status != http.StatusOK || request.Method != http.MethodGet || r.Header().Get("Content-Type") != "application/json" {
		return
	}
	tag := r.Header().Get("ETag") // of versioned resources
	if tag == "" {
		sum := sha256.New()
		sum.Write(r.held.Bytes())
		sum.Write([]byte(r.Header().Get(totalCount)))
		tag = `"` + hex.EncodeToString(sum.Sum(nil)[:16]) + "-" + string(r.language) + `"`
		r.Header().Set("ETag", tag)
	}
	if !matchesETag(request.Header.Values("If-None-Match"), tag) {
		return
	}
	r.Header().Del("Content-Type")
	r.held.Reset()
	r.status, r.bytes = http.StatusNotModified, 0
}

// matchesETag reports whether a list of tags, which may be weak, contains the tag.
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

// release writes the buffered response.
func (r *responseRecorder) release() {
	if r.maxBytes == 0 || r.status == 0 {
		return
	}
	r.ResponseWriter.WriteHeader(r.status)
	_, _ = r.ResponseWriter.Write(r.held.Bytes()) // fails only if the caller has disconnected
}
