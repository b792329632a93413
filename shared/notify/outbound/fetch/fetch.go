// Package fetch downloads files from public addresses given by callers.
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

// Config limits downloads.
type Config struct {
	MaxBytes     int64         // maximum size of a file
	Timeout      time.Duration // from the first connection to the last byte
	StallTimeout time.Duration // without MinBytes bytes, or the end of the file
	MinBytes     int64         // in every StallTimeout: a server that trickles occupies a slot for long
	outbound.Policy
}

// DefaultConfig returns the limits of the design.
func DefaultConfig() Config {
	return Config{MaxBytes: 500 << 20, Timeout: 5 * time.Minute, StallTimeout: 30 * time.Second, MinBytes: 30 << 10, Policy: policy()}
}

// policy returns the policy for addresses given by callers.
func policy() outbound.Policy {
	return outbound.Policy{Allows: outbound.Public, Schemes: []string{"http", "https"}}
}

// maxRedirects is the maximum number of redirects.
const maxRedirects = 5

// Client fetches files.
type Client struct {
	config Config
	http   *http.Client
}

// New returns a client. It uses no proxy, and stores neither connections nor cookies:
// requests are independent of each other.
func New(c Config) (*Client, error) {
	if c.MaxBytes <= 0 || c.Timeout <= 0 || c.StallTimeout <= 0 || c.Allows == nil {
		return nil, errors.New("fetch: missing limit")
	}
	return &Client{config: c, http: &http.Client{
		Transport: outbound.NewTransport(c.Allows, c.StallTimeout),
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return problem.New(problem.FetchFailed, "The server redirects more than %d times.", maxRedirects)
			}
			r.Header.Del("Referer") // net/http has set it to the previous address, which may contain a signature
			return c.Check(r.URL)
		},
	}}, nil
}

// Check validates an address as far as possible without resolving its host, which happens
// when the connection is opened.
func Check(address string) (*url.URL, error) {
	return policy().Parse(address)
}

// Copy writes the file at an address to w. Its errors describe the problem of the address,
// the server or the file without repeating the address; other errors are those of w.
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
		return 0, problem.New(problem.FetchFailed, "The server responded with status %d.", resp.StatusCode)
	}
	if resp.ContentLength > c.config.MaxBytes {
		return 0, c.tooLarge()
	}
	body := newStallReader(resp.Body, c.config, stop)
	defer body.timer.Stop()
	n, err := io.Copy(w, io.LimitReader(body, c.config.MaxBytes+1))
	switch {
	case n > c.config.MaxBytes:
		return n, c.tooLarge()
	case body.err != nil:
		return n, fetchError(ctx, body.err)
	case err != nil:
		return n, fmt.Errorf("store fetched file: %w", err)
	}
	return n, nil
}

func (c *Client) tooLarge() error {
	return problem.New(problem.FileTooLarge, "The file is larger than the limit of %d MB.", c.config.MaxBytes>>20)
}

// fetchError converts the error of a failed request.
func fetchError(ctx context.Context, err error) error {
	var known *problem.Error
	if errors.As(context.Cause(ctx), &known) || errors.As(err, &known) {
		return known
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return problem.New(problem.FetchTimeout, "The server does not respond.")
	}
	var where *url.Error
	if errors.As(err, &where) {
		err = where.Err // the outer error repeats the address
	}
	return problem.Wrap(err, problem.FetchFailed, "The file could not be fetched from its server.")
}

// stallReader reads a body, and cancels the request when it stalls.
type stallReader struct {
	body   io.Reader
	config Config
	timer  *time.Timer
	read   int64 // since the timer was reset
	err    error // the error that ended reading, other than io.EOF
}

func newStallReader(body io.Reader, c Config, stop context.CancelCauseFunc) *stallReader {
	return &stallReader{body: body, config: c, timer: time.AfterFunc(c.StallTimeout, func() {
		stop(problem.New(problem.FetchTimeout, "The server sent less than %d KB within %s.", max(c.MinBytes>>10, 1), c.StallTimeout))
	})}
}

func (w *stallReader) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	if w.read += int64(n); w.read >= max(w.config.MinBytes, 1) {
		w.read = 0
		w.timer.Reset(w.config.StallTimeout)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}
