// Package fetch gets files from public addresses that callers name.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/loadbay/loadbay/shared/notify/outbound"
	"github.com/loadbay/loadbay/shared/problem"
)

// Config bounds what is fetched.
type Config struct {
	MaxBytes     int64         // of a file
	Timeout      time.Duration // from the first connection to the last byte
	StallTimeout time.Duration // without a byte
	outbound.Policy
}

// DefaultConfig is that of the design.
func DefaultConfig() Config {
	return Config{MaxBytes: 500 << 20, Timeout: 5 * time.Minute, StallTimeout: 30 * time.Second, Policy: policy()}
}

// policy is that of the addresses that callers may name.
func policy() outbound.Policy {
	return outbound.Policy{Allows: outbound.Public, Schemes: []string{"http", "https"}}
}

// maxRedirects is how often a server may send on.
const maxRedirects = 5

// Client fetches files.
type Client struct {
	config Config
	http   *http.Client
}

// New returns a client. It uses no proxy, and keeps neither connections nor
// cookies: every request stands for itself.
func New(c Config) (*Client, error) {
	if c.MaxBytes <= 0 || c.Timeout <= 0 || c.StallTimeout <= 0 || c.Allows == nil {
		return nil, errors.New("fetch: a limit is missing")
	}
	return &Client{config: c, http: &http.Client{
		Transport: outbound.NewTransport(c.Allows, c.StallTimeout),
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return problem.New(problem.FetchFailed, "The server sends on more than %d times.", maxRedirects)
			}
			r.Header.Del("Referer") // net/http has added the address before, whose query may be a signature
			return c.Check(r.URL)
		},
	}}, nil
}

// Check reports what is wrong with an address, as far as it can be known without
// looking its host up: that happens when it is connected to.
func Check(address string) (*url.URL, error) {
	return policy().Parse(address)
}

// Copy writes the file at an address. Errors say what is wrong with the address,
// the server or the file and do not repeat the address; other errors are those
// of the writer.
func (c *Client) Copy(ctx context.Context, address string, w io.Writer) (int64, error) {
	u, err := c.config.Parse(address)
	if err != nil {
		return 0, err
	}
	late := problem.New(problem.FetchTimeout, "The server did not send the file within %s.", c.config.Timeout)
	ctx, cancel := context.WithTimeoutCause(ctx, c.config.Timeout, late)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return 0, fmt.Errorf("request: %w", err)
	}
	request.Header.Set("User-Agent", "Loadbay")
	resp, err := c.http.Do(request)
	if err != nil {
		return 0, fetchError(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 0, problem.New(problem.FetchFailed, "The server answered with the status %d.", resp.StatusCode)
	}
	if resp.ContentLength > c.config.MaxBytes {
		return 0, c.tooLarge()
	}
	body := &stallReader{body: resp.Body, config: c.config, stop: stop}
	n, err := io.Copy(w, io.LimitReader(body, c.config.MaxBytes+1))
	switch {
	case n > c.config.MaxBytes:
		return n, c.tooLarge()
	case body.err != nil:
		return n, fetchError(ctx, body.err)
	case err != nil:
		return n, fmt.Errorf("keep what is fetched: %w", err)
	}
	return n, nil
}

func (c *Client) tooLarge() error {
	return problem.New(problem.FileTooLarge, "A file may have %d MB; this one has more.", c.config.MaxBytes>>20)
}

// fetchError is the error of a request that went wrong.
func fetchError(ctx context.Context, err error) error {
	var known *problem.Error
	if errors.As(context.Cause(ctx), &known) || errors.As(err, &known) {
		return known
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return problem.New(problem.FetchTimeout, "The server does not answer.")
	}
	var where *url.Error
	if errors.As(err, &where) {
		err = where.Err // the outer error repeats the address
	}
	return problem.Wrap(err, problem.FetchFailed, "The file could not be fetched from its server.")
}

// stallReader reads a body, and ends the request when it stalls.
type stallReader struct {
	body   io.Reader
	config Config
	stop   context.CancelCauseFunc
	err    error // that reading ended with, other than io.EOF
}

func (w *stallReader) Read(p []byte) (int, error) {
	timer := time.AfterFunc(w.config.StallTimeout, func() {
		w.stop(problem.New(problem.FetchTimeout, "The server sent nothing for %s.", w.config.StallTimeout))
	})
	defer timer.Stop()
	n, err := w.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}
