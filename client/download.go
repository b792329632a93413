package client

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/loadbay/loadbay/client/api"
)

// ErrNoContent means that the requested file does not exist: an import without row errors has
// no error workbook.
var ErrNoContent = fmt.Errorf("nothing to save")

// Save writes the file that a response of c.API contains or redirects to, and returns its size
// in bytes:
//
//	n, err := c.Save(ctx, file)(c.API.DownloadErrorWorkbook(ctx, id, nil))
func (c *Client) Save(ctx context.Context, to io.Writer) func(*http.Response, error) (int64, error) {
	return func(resp *http.Response, err error) (int64, error) {
		if err != nil {
			return 0, err
		}
		if isRedirect(resp.StatusCode) {
			if resp, err = c.openRedirect(ctx, resp); err != nil {
				return 0, err
			}
		}
		switch {
		case resp.StatusCode == http.StatusNoContent:
			return 0, ErrNoContent
		case resp.StatusCode/100 != 2:
			return 0, responseError(resp)
		}
		defer resp.Body.Close()
		n, err := io.Copy(to, resp.Body)
		if err != nil {
			return n, fmt.Errorf("file truncated: %w", err)
		}
		return n, nil
	}
}

func isRedirect(status int) bool {
	return status == http.StatusFound || status == http.StatusTemporaryRedirect
}

// openRedirect opens the file that a response redirects to, without the token.
func (c *Client) openRedirect(ctx context.Context, resp *http.Response) (*http.Response, error) {
	at, err := resp.Location()
	if err != nil {
		return nil, fmt.Errorf("parse file URL: %w", err)
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	r, err := retryablehttp.NewRequestWithContext(context.WithValue(ctx, repeatableKey{}, true), http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	return c.fileClient.Do(r)
}

// WaitExport polls an export until it has ended. each is called for every state, unless it is
// nil.
func (c *Client) WaitExport(ctx context.Context, id string, each func(*api.ExportJob)) (*api.ExportJob, error) {
	for {
		resp, err := c.API.GetBulkExport(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("wait for export %s: %w", id, err)
		}
		pause := pollInterval(resp)
		job, err := Read[api.ExportJob](resp, nil)
		if err != nil {
			return nil, fmt.Errorf("wait for export %s: %w", id, err)
		}
		if each != nil {
			each(job)
		}
		if job.Status != api.ExportJobStatusPending && job.Status != api.ExportJobStatusProcessing {
			return job, nil
		}
		if err := sleepContext(ctx, pause); err != nil {
			return job, fmt.Errorf("wait for export %s: %w", id, err)
		}
	}
}
