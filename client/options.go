package client

import (
	"context"
	"net/http"
)

// Option changes how a Client calls.
type Option func(*settings)

// settings are what the options set.
type settings struct {
	token     TokenSource
	transport http.RoundTripper
	agent     string
	attempts  int
}

// TokenSource returns the bearer token of the next request. It is asked before each one,
// so that it can renew a token that is about to expire.
type TokenSource func(context.Context) (string, error)

// WithToken sends that token with every request to the API.
func WithToken(token string) Option {
	return WithTokenSource(func(context.Context) (string, error) { return token, nil })
}

// WithTokenSource asks for the token of every request to the API. "" sends none, which an
// installation on one machine may allow.
func WithTokenSource(source TokenSource) Option { return func(s *settings) { s.token = source } }

// WithTransport sends requests by another transport than http.DefaultTransport.
func WithTransport(t http.RoundTripper) Option { return func(s *settings) { s.transport = t } }

// WithUserAgent names the program to the server.
func WithUserAgent(agent string) Option { return func(s *settings) { s.agent = agent } }

// WithAttempts tries a request so often, 5 times unless it is said; 1 repeats none.
func WithAttempts(n int) Option { return func(s *settings) { s.attempts = max(1, n) } }
