package client

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// The waits before a request is repeated, unless the server says when.
const (
	shortestWait = 200 * time.Millisecond
	longestWait  = 10 * time.Second
)

// repeating sends requests and repeats those that are worth it; with the token or
// without.
func (s *settings) repeating(authorised bool) *retryablehttp.Client {
	named := &headers{next: s.transport, agent: s.agent}
	if authorised {
		named.token = s.token
	}
	return &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: named, CheckRedirect: asIs},
		RetryWaitMin: shortestWait, RetryWaitMax: longestWait, RetryMax: s.attempts - 1,
		CheckRetry: worthRepeating, Backoff: retryablehttp.DefaultBackoff,
		// The last response says more than that there were so many.
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// asIs hands redirects to the caller: what they lead to is of another origin, and must
// not get the token.
func asIs(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// marked notes in a request's context whether it may be sent twice.
type marked struct{ next http.RoundTripper }

// repeatable is the key of that note.
type repeatable struct{}

// RoundTrip sends the request, and again if need be.
func (m *marked) RoundTrip(r *http.Request) (*http.Response, error) {
	may := r.Method != http.MethodPost && r.Method != http.MethodPatch || r.Header.Get("Idempotency-Key") != ""
	return m.next.RoundTrip(r.WithContext(context.WithValue(r.Context(), repeatable{}, may)))
}

// worthRepeating reports whether a request is to be sent again. What was refused with 429
// or 503 has done nothing; after any other fault only a request may be that does no more
// when it comes twice.
func worthRepeating(ctx context.Context, resp *http.Response, err error) (bool, error) {
	again, _ := retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	if resp != nil && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable) {
		return again, ctx.Err()
	}
	may, _ := ctx.Value(repeatable{}).(bool)
	return again && may, ctx.Err()
}

// headers adds what every request carries.
type headers struct {
	next  http.RoundTripper
	agent string
	token TokenSource
}

// RoundTrip sends one request.
func (h *headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", h.agent)
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
