// Package rawclient calls Loadbay's HTTP API as its users do: for the
// demonstration, the benchmark and the end-to-end tests.
//
// Tested by infra/tests/e2e: every call of that suite.
package rawclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"
)

// Client calls one API.
type Client struct {
	base   string
	token  string
	prefer string
	http   *http.Client
}

// New returns a client of the API at that address. token may be "".
func New(base, token string) *Client {
	return &Client{base: base, token: token, http: &http.Client{Timeout: 10 * time.Minute}}
}

// WithPreferWait returns a client that waits up to wait, in whole seconds, for the
// work that its requests start (Prefer: wait).
func (c *Client) WithPreferWait(wait time.Duration) *Client {
	patient := *c
	patient.prefer = fmt.Sprintf("wait=%d", int(wait.Seconds()))
	return &patient
}

// Job is an import, as returned by the API.
type Job struct {
	Identifier      string     `json:"identifier"`
	ImportType      string     `json:"importType"`
	Status          string     `json:"status"`
	WaitingFor      string     `json:"waitingFor"` // FILE, COLUMN_MAPPINGS, CELL_MAPPINGS, APPROVAL or ""
	SHA256          string     `json:"sha256"`     // "" until known
	TotalRows       int64      `json:"totalRows"`
	ProcessedRows   int64      `json:"processedRows"`
	SuccessCount    int64      `json:"successCount"` // created, updated and unchanged
	SkippedCount    int64      `json:"skippedCount"`
	ErrorCount      int64      `json:"errorCount"`
	FileLines       *int64     `json:"fileLines"` // this and the next two: nil unless completed
	BlankLines      *int64     `json:"blankLines"`
	HeaderRows      *int64     `json:"headerRows"`
	ProgressPercent int        `json:"progressPercent"`
	Warnings        []string   `json:"warnings"`
	CreatedAt       time.Time  `json:"createdAt"`
	UploadedAt      *time.Time `json:"uploadedAt"`
	StartedAt       *time.Time `json:"startedAt"`
	CompletedAt     *time.Time `json:"completedAt"`
	Failure         *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"failure"`
	Upload *Destination `json:"upload"`
	Plan   *struct {
		Digest string `json:"digest"` // "" until there is a plan
	} `json:"plan"`
}

// Ended reports whether the job has reached a final state.
func (j *Job) Ended() bool {
	return j.Status == "COMPLETED" || j.Status == "FAILED" || j.Status == "CANCELLED"
}

// Summary counts a job's rows by outcome.
type Summary struct {
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Skipped   int64 `json:"skipped"`
	Error     int64 `json:"error"`
}

// Result is the outcome of one row.
type Result struct {
	RowNumber int64  `json:"rowNumber"`
	Outcome   string `json:"outcome"`
	Message   string `json:"message"`
	Faults    []struct {
		Code    string `json:"code"`
		Field   string `json:"field"`
		Value   string `json:"value"`
		Message string `json:"message"`
	} `json:"faults"`
}

// Error is a response with a status other than 2xx.
type Error struct {
	Status int
	Code   string `json:"code"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

func (e *Error) Error() string { return fmt.Sprintf("HTTP %d %s: %s", e.Status, e.Code, e.Detail) }

// PostForm sends a small file in a multipart form.
func (c *Client) PostForm(ctx context.Context, method, path, filename string, file []byte, fields map[string]string, target any) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			return err
		}
	}
	part, err := form.CreateFormFile("file", filename)
	if err != nil {
		return err
	}
	if _, err := part.Write(file); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	return c.Do(ctx, method, path, form.FormDataContentType(), &body, target)
}

// Get reads a resource.
func (c *Client) Get(ctx context.Context, path string, target any) error {
	return c.Do(ctx, http.MethodGet, path, "", nil, target)
}

// Post sends a document and reads the response; target may be nil.
func (c *Client) Post(ctx context.Context, path string, document, target any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("POST %s: %w", path, err)
	}
	return c.Do(ctx, http.MethodPost, path, "application/json", bytes.NewReader(body), target)
}

// Do calls the API; target may be nil.
func (c *Client) Do(ctx context.Context, method, path, contentType string, body io.Reader, target any) error {
	resp, err := c.request(ctx, method, path, contentType, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if target == nil || len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, target); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// request calls the API and returns a successful response, whose body the caller must
// close, or an Error.
func (c *Client) request(ctx context.Context, method, path, contentType string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.prefer != "" {
		r.Header.Set("Prefer", c.prefer)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	problem := &Error{Status: resp.StatusCode}
	if json.Unmarshal(text, problem) != nil {
		problem.Detail = string(text)
	}
	return nil, problem
}

// Job reads a job.
func (c *Client) Job(ctx context.Context, id string) (*Job, error) {
	var j Job
	return &j, c.Get(ctx, "/api/imports/"+id, &j)
}

// Wait polls a job until done returns true, and calls each with every state seen.
func (c *Client) Wait(ctx context.Context, id string, every time.Duration, each func(*Job), done func(*Job) bool) (*Job, error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		j, err := c.Job(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("wait for import %s: %w", id, err)
		}
		if each != nil {
			each(j)
		}
		if done(j) {
			return j, nil
		}
		select {
		case <-ctx.Done():
			return j, fmt.Errorf("wait for import %s, which is %s: %w", id, j.Status, ctx.Err())
		case <-tick.C:
		}
	}
}

// Summary counts a job's rows.
func (c *Client) Summary(ctx context.Context, id string) (Summary, error) {
	var s Summary
	return s, c.Get(ctx, "/api/imports/"+id+"/results/summary", &s)
}

// Results lists outcomes; outcome may be "".
func (c *Client) Results(ctx context.Context, id, outcome string, page, size int) ([]Result, error) {
	query := url.Values{"page": {fmt.Sprint(page)}, "size": {fmt.Sprint(size)}}
	if outcome != "" {
		query.Set("outcome", outcome)
	}
	var found []Result
	return found, c.Get(ctx, "/api/imports/"+id+"/results?"+query.Encode(), &found)
}
