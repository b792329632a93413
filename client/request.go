package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// NewRequest returns a request for a path of the installation, such as /api/imports. A nil body
// sends none.
func (c *Client) NewRequest(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	if !strings.HasPrefix(path, "/") && !strings.Contains(path, "://") {
		return nil, errors.New("the path must begin with a slash, such as /api/imports")
	}
	at, err := c.resolveURL(path)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("request %s %s: %w", method, path, err)
	}
	return r, nil
}

// Send sends a request with the token, and repeats it if that is safe. Responses of any status are
// returned.
func (c *Client) Send(r *http.Request) (*http.Response, error) { return c.apiClient.Do(r) }
