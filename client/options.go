package client

import (
	"context"
	"net/http"
)

// Option configures a Client.
type Option func(*settings)

// settings holds the values that options set.
type settings struct {
	token     TokenSource
	transport http.RoundTripper
	agent     string
	attempts  int
	base      string // path of the installation
}

// TokenSource returns the bearer token for the next request. It is called before each request,
// so that it can renew a token that is about to expire.
type TokenSource func(context.Context) (string, error)

// WithToken sends that token, or that API key, with every request to the API.
func WithToken(token string) Option {
	return WithTokenSource(func(context.Context) (string, error) { return token, nil })
}

// WithTokenSource gets the token for every API request from source. With an empty token no
// Authorization header is sent, which a local installation may allow.
func WithTokenSource(source TokenSource) Option { return func(s *settings) { s.token = source } }

// WithTransport replaces http.DefaultTransport.
func WithTransport(t http.RoundTripper) Option { return func(s *settings) { s.transport = t } }

// WithUserAgent sets the User-Agent header.
func WithUserAgent(agent string) Option { return func(s *settings) { s.agent = agent } }

// WithAttempts limits the attempts per request. The default is 5; 1 disables retries.
func WithAttempts(n int) Option { return func(s *settings) { s.attempts = max(1, n) } }
