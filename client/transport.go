package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// The delays between attempts, unless the server specifies one.
const (
	minRetryWait = 200 * time.Millisecond
	maxRetryWait = 10 * time.Second
)

// newRetryingClient returns an HTTP client that retries suitable requests. authorised controls
// whether it sends the token.
func (s *settings) newRetryingClient(authorised bool) *retryablehttp.Client {
	named := &headerTransport{next: s.transport, userAgent: s.agent}
	if authorised {
		named.token, named.base = s.token, s.base
	}
	return &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: named, CheckRedirect: keepRedirect},
		RetryWaitMin: minRetryWait, RetryWaitMax: maxRetryWait, RetryMax: s.attempts - 1,
		CheckRetry: shouldRetry, Backoff: retryablehttp.DefaultBackoff,
		// The last response is more useful than the number of attempts.
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// keepRedirect returns redirects to the caller: they lead to another origin, which must not
// receive the token.
func keepRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// retryMarker marks in the request's context whether the request may be sent twice.
type retryMarker struct{ next http.RoundTripper }

// repeatableKey is the context key of that mark.
type repeatableKey struct{}

// RoundTrip marks the request and sends it.
func (m *retryMarker) RoundTrip(r *http.Request) (*http.Response, error) {
	may := r.Method != http.MethodPost && r.Method != http.MethodPatch || r.Header.Get("Idempotency-Key") != ""
	return m.next.RoundTrip(r.WithContext(context.WithValue(r.Context(), repeatableKey{}, may)))
}

// shouldRetry reports whether to send a request again. A response of 429 or 503 means that the
// server did nothing; after any other failure only idempotent requests are sent again.
func shouldRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	again, _ := retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	if resp != nil && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable) {
		return again, ctx.Err()
	}
	var failed net.Error
	if errors.As(err, &failed) && failed.Timeout() {
		return false, ctx.Err() // the caller has chosen how long to wait
	}
	may, _ := ctx.Value(repeatableKey{}).(bool)
	return again && may, ctx.Err()
}

// headerTransport adds the headers that every request has.
type headerTransport struct {
	next      http.RoundTripper
	userAgent string
	token     TokenSource
	base      string // path of the installation
}

// API keys begin with apiKeyPrefix. Requests with one have apiKeyPath before their path: on AWS, the
// gateway accepts only tokens elsewhere.
const (
	apiKeyPrefix = "lbk_"
	apiKeyPath   = "/key"
)

// keyPath returns a path of the API for a request with an API key.
func (h *headerTransport) keyPath(path string) string {
	rest, ok := strings.CutPrefix(path, h.base)
	if !ok || strings.HasPrefix(rest, apiKeyPath+"/") {
		return path
	}
	return h.base + apiKeyPath + rest
}

// RoundTrip sends one request.
func (h *headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", h.userAgent)
	if h.token != nil {
		token, err := h.token(r.Context())
		if err != nil {
			return nil, err
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		if strings.HasPrefix(token, apiKeyPrefix) {
			r.URL.Path = h.keyPath(r.URL.Path)
			r.URL.RawPath = ""
		}
	}
	return h.next.RoundTrip(r)
}
