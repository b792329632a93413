package client

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/loadbay/loadbay/client/api"
)

// Wait polls an import until it has ended or needs input. each is called for every state,
// unless it is nil. After the first seconds, the server sets the polling interval; it
// responds without a body as long as nothing has changed.
func (c *Client) Wait(ctx context.Context, id string, each func(*api.ImportJob)) (*api.ImportJob, error) {
	return c.WaitUntil(ctx, id, each, func(job *api.ImportJob) bool { return Ended(job) || NeedsInput(job) })
}

// WaitUntil is Wait with a custom condition; it also returns when the import has ended.
func (c *Client) WaitUntil(ctx context.Context, id string, each func(*api.ImportJob), done func(*api.ImportJob) bool) (*api.ImportJob, error) {
	var job *api.ImportJob
	var tag string
	begin := time.Now()
	for {
		resp, err := c.API.GetImport(ctx, id, nil, func(_ context.Context, r *http.Request) error {
			if tag != "" {
				r.Header.Set("If-None-Match", tag)
			}
			return nil
		})
		if err != nil {
			return job, waitError(id, err)
		}
		pause := pollInterval(resp)
		if time.Since(begin) < quickPhase {
			pause = min(pause, quickPollInterval)
		}
		if resp.StatusCode == http.StatusNotModified {
			if err := resp.Body.Close(); err != nil {
				return job, waitError(id, err)
			}
		} else {
			tag = resp.Header.Get("ETag")
			if job, err = Read[api.ImportJob](resp, nil); err != nil {
				return job, waitError(id, err)
			}
			if each != nil {
				each(job)
			}
			if done(job) || Ended(job) {
				return job, nil
			}
		}
		if err := sleepContext(ctx, pause); err != nil {
			return job, waitError(id, err)
		}
	}
}

func waitError(id string, err error) error { return fmt.Errorf("wait for import %s: %w", id, err) }

// The limits of the polling interval, which override the server's.
const (
	defaultPollInterval = time.Second
	maxPollInterval     = time.Minute
)

// Most small files are imported within quickPhase, so polls are frequent for that time.
const (
	quickPhase        = 3 * time.Second
	quickPollInterval = 100 * time.Millisecond
)

// pollInterval returns the delay before the next poll.
func pollInterval(resp *http.Response) time.Duration {
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds <= 0 {
		return defaultPollInterval
	}
	return min(time.Duration(seconds)*time.Second, maxPollInterval)
}

func sleepContext(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
