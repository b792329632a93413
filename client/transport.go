package client

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// The waits before a request is repeated, unless the server says when.
const (
	minRetryWait = 200 * time.Millisecond
	maxRetryWait = 10 * time.Second
)

// newRetryingClient sends requests and repeats those that are worth it; with the token or
// without.
func (s *settings) newRetryingClient(authorised bool) *retryablehttp.Client {
	named := &headerTransport{next: s.transport, userAgent: s.agent}
	if authorised {
		named.token = s.token
	}
	return &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: named, CheckRedirect: keepRedirect},
		RetryWaitMin: minRetryWait, RetryWaitMax: maxRetryWait, RetryMax: s.attempts - 1,
		CheckRetry: shouldRetry, Backoff: retryablehttp.DefaultBackoff,
		// The last response says more than that there were so many.
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// keepRedirect hands redirects to the caller: what they lead to is of another origin, and must
// not get the token.
func keepRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// retryMarker notes in a request's context whether it may be sent twice.
type retryMarker struct{ next http.RoundTripper }

// repeatableKey is the key of that note.
type repeatableKey struct{}

// RoundTrip sends the request, and again if need be.
func (m *retryMarker) RoundTrip(r *http.Request) (*http.Response, error) {
	may := r.Method != http.MethodPost && r.Method != http.MethodPatch || r.Header.Get("Idempotency-Key") != ""
	return m.next.RoundTrip(r.WithContext(context.WithValue(r.Context(), repeatableKey{}, may)))
}

// shouldRetry reports whether a request is to be sent again. What was refused with 429
// or 503 has done nothing; after any other fault only a request may be that does no more
// when it comes twice.
func shouldRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	again, _ := retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	if resp != nil && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable) {
		return again, ctx.Err()
	}
	may, _ := ctx.Value(repeatableKey{}).(bool)
	return again && may, ctx.Err()
}

// headerTransport adds what every request carries.
type headerTransport struct {
	next      http.RoundTripper
	userAgent string
	token     TokenSource
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
	}
	return h.next.RoundTrip(r)
}
