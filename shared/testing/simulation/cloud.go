package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

// cloud replaces everything outside the database: a queue, tokens, and the execution of one job.
// Tasks call it one by one, or concurrently under the lock.
type cloud struct {
	*steptest.Bucket
	mu        sync.Mutex
	jobID     job.ID
	queued    []message
	tokens    map[job.Phase]string
	execution execution
}

// message is a message in the rows queue.
type message struct {
	job.ChunkRef
	receives int
	dead     bool // in the dead letter queue
}

func (c *cloud) lock(f func()) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	return nil
}

// SendChunks queues chunks.
func (c *cloud) SendChunks(ctx context.Context, ref job.Ref, chunks []int) error {
	return doStep(ctx, "send", func() error {
		return c.lock(func() {
			for _, n := range chunks {
				c.queued = append(c.queued, message{ChunkRef: job.ChunkRef{Ref: ref, Chunk: n}})
			}
		})
	})
}

// SaveToken stores the newest token of a phase.
func (c *cloud) SaveToken(ctx context.Context, jobID job.ID, phase job.Phase, token string) error {
	return doStep(ctx, "put token", func() error {
		return c.lock(func() {
			if jobID == c.jobID {
				c.tokens[phase] = token
			}
		})
	})
}

// Token returns the newest token of a phase.
func (c *cloud) Token(ctx context.Context, jobID job.ID, phase job.Phase) (token string, err error) {
	err = doStep(ctx, "get token", func() error {
		return c.lock(func() {
			if jobID == c.jobID {
				token = c.tokens[phase]
			}
		})
	})
	return token, err
}

// DeleteJobs deletes the tokens of jobs.
func (c *cloud) DeleteJobs(ctx context.Context, _ tenant.ID, jobIDs []job.ID) error {
	return doStep(ctx, "forget tokens", func() error {
		return c.lock(func() {
			if slices.Contains(jobIDs, c.jobID) {
				clear(c.tokens)
			}
		})
	})
}

// CompleteTask completes a waiting task.
func (c *cloud) CompleteTask(ctx context.Context, token string, result any) (err error) {
	fault := doStep(ctx, "answer", func() error {
		return c.lock(func() {
			if err = job.ErrTokenClosed; c.execution.status == running && token != "" && c.execution.token == token {
				err = nil
				c.execution.complete(result.(callback.Result).Next)
			}
		})
	})
	if fault != nil {
		return fault
	}
	return err
}

// Start starts the execution.
func (c *cloud) Start(ctx context.Context, ref job.Ref) error {
	return doStep(ctx, "start execution", func() error {
		return c.lock(func() {
			if ref.JobID == c.jobID {
				c.execution.start()
			}
		})
	})
}

// Status returns the status of the execution.
func (c *cloud) Status(_ context.Context, jobID job.ID) (job.ExecutionStatus, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if jobID != c.jobID || c.execution.status == "" {
		return job.ExecutionAbsent, nil
	}
	return job.ExecutionStatus(c.execution.status), nil
}

// Stop stops the execution.
func (c *cloud) Stop(ctx context.Context, jobID job.ID, _ string) error {
	return doStep(ctx, "stop execution", func() error {
		return c.lock(func() {
			if jobID == c.jobID && c.execution.status == running {
				c.execution.status = aborted
			}
		})
	})
}

// Queues returns the number of messages.
func (c *cloud) Queues(context.Context) (map[string]int, error) {
	held := map[string]int{"rows": 0, "dead letters": 0}
	for _, m := range c.queued {
		if m.dead {
			held["dead letters"]++
		} else {
			held["rows"]++
		}
	}
	return held, nil
}

// Executing reports whether the execution is running.
func (c *cloud) Executing(context.Context, job.ID) (bool, error) {
	return c.execution.status == running, nil
}

// Tokens returns the phases for which a token is stored.
func (c *cloud) Tokens(context.Context, job.ID) ([]string, error) {
	var kept []string
	for _, phase := range slices.Sorted(maps.Keys(c.tokens)) {
		kept = append(kept, fmt.Sprint(phase))
	}
	return kept, nil
}
