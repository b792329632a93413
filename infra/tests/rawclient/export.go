package rawclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Export is an export, as returned by the API.
type Export struct {
	JobID         string `json:"job_id"`
	Status        string `json:"status"`
	RecordCount   int64  `json:"record_count"`
	SizeBytes     int64  `json:"size_bytes"`
	DownloadURL   string `json:"download_url"`
	FailureReason string `json:"failure_reason"`
}

// ExportRequest describes the requested export.
type ExportRequest struct {
	Resource string          `json:"resource_type"`
	Format   string          `json:"format"`
	Fields   []string        `json:"fields,omitempty"`
	Filters  json.RawMessage `json:"filters,omitempty"`
}

// Export creates an export of any size, waits until its file is written, and
// downloads it.
func (c *Client) Export(ctx context.Context, s ExportRequest, every time.Duration) (Export, []byte, error) {
	var e Export
	body, err := json.Marshal(s)
	if err != nil {
		return e, nil, err
	}
	if err := c.Do(ctx, http.MethodPost, "/v1/exports", "application/json", bytes.NewReader(body), &e); err != nil {
		return e, nil, err
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for e.Status == "pending" || e.Status == "processing" {
		select {
		case <-ctx.Done():
			return e, nil, fmt.Errorf("wait for export %s, which is %s: %w", e.JobID, e.Status, ctx.Err())
		case <-tick.C:
		}
		if err := c.Get(ctx, "/v1/exports/"+e.JobID, &e); err != nil {
			return e, nil, err
		}
	}
	if e.Status != "completed" {
		return e, nil, fmt.Errorf("export %s is %s: %s", e.JobID, e.Status, e.FailureReason)
	}
	_, file, err := c.readFile(ctx, e.DownloadURL)
	if err == nil && int64(len(file)) != e.SizeBytes {
		err = fmt.Errorf("export %s has %d bytes; downloaded %d", e.JobID, e.SizeBytes, len(file))
	}
	return e, file, err
}

// Stream requests an export in the response itself, or in the stream to which the
// response redirects, and returns it with its number of records.
func (c *Client) Stream(ctx context.Context, resource, format string) (records int64, file []byte, err error) {
	query := url.Values{"resource": {resource}, "format": {format}}
	header, file, err := c.readFile(ctx, "/v1/exports?"+query.Encode())
	if err != nil {
		return 0, nil, err
	}
	if records, err = strconv.ParseInt(header.Get("X-Total-Count"), 10, 64); err != nil {
		return 0, nil, fmt.Errorf("export of %s: parse number of records: %w", resource, err)
	}
	return records, file, nil
}

// readFile downloads a file and follows redirects.
func (c *Client) readFile(ctx context.Context, path string) (http.Header, []byte, error) {
	document, err := c.request(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return nil, nil, err
	}
	defer document.Body.Close()
	file, err := io.ReadAll(document.Body)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", path, err)
	}
	return document.Header, file, nil
}
