package rawclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// CreateRequest is the request for a direct upload to the bucket.
type CreateRequest struct {
	ImportType string         `json:"importType"`
	RetryOf    string         `json:"retryOf,omitempty"`
	ContextID  *int64         `json:"contextId,omitempty"`
	Filename   string         `json:"filename"`
	SizeBytes  int64          `json:"sizeBytes"`
	SHA256     string         `json:"sha256,omitempty"`
	Mode       string         `json:"mode,omitempty"`
	AutoStart  bool           `json:"autoStart,omitempty"`
	Plan       bool           `json:"plan,omitempty"`
	Options    map[string]any `json:"options,omitempty"`
	Profile    string         `json:"profile,omitempty"`
}

// Destination is the target of an upload: one URL for the whole file, or several for the parts
// of a large one.
type Destination struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`

	PartSizeBytes int64 `json:"partSizeBytes"`
	Parts         []struct {
		PartNumber int    `json:"partNumber"`
		URL        string `json:"url"`
	} `json:"parts"`
	CompleteURL string `json:"completeUrl"`
}

// Upload creates an import and uploads its file to the URL that the API returned.
func (c *Client) Upload(ctx context.Context, create CreateRequest, file io.Reader) (*Job, error) {
	body, err := json.Marshal(create)
	if err != nil {
		return nil, err
	}
	var j Job
	if err := c.Do(ctx, http.MethodPost, "/api/imports", "application/json", bytes.NewReader(body), &j); err != nil {
		return nil, fmt.Errorf("create import: %w", err)
	}
	switch {
	case j.Upload == nil:
		return nil, fmt.Errorf("import %s has no upload URL", j.Identifier)
	case len(j.Upload.Parts) == 0:
		return &j, c.putObject(ctx, j.Upload.Method, j.Upload.URL, j.Upload.Headers, file, create.SizeBytes)
	}
	left := create.SizeBytes
	for _, part := range j.Upload.Parts {
		size := min(left, j.Upload.PartSizeBytes)
		if err := c.putObject(ctx, http.MethodPut, part.URL, nil, io.LimitReader(file, size), size); err != nil {
			return nil, fmt.Errorf("part %d: %w", part.PartNumber, err)
		}
		left -= size
	}
	return &j, c.Do(ctx, http.MethodPost, j.Upload.CompleteURL, "", nil, nil)
}

// putObject uploads bytes to a presigned URL.
func (c *Client) putObject(ctx context.Context, method, url string, headers map[string]string, body io.Reader, size int64) error {
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return err
	}
	r.ContentLength = size
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	document, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	defer document.Body.Close()
	if document.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(document.Body, 2000))
		return fmt.Errorf("upload: HTTP %d: %s", document.StatusCode, text)
	}
	return nil
}
