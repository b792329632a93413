package stacktest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

const (
	// Timeout limits every wait for an expected event.
	Timeout = 2 * time.Minute
	// PollInterval is the pause between two checks.
	PollInterval = 20 * time.Millisecond
)

// Await calls so until it returns true, in the test's own goroutine, so that so may fail
// the test. what describes the awaited condition in a failure message.
func Await(t *testing.T, what string, so func() bool) {
	t.Helper()
	awaitCondition(t, what, so, nil)
}

func awaitCondition(t *testing.T, what string, so func() bool, by *Program) {
	t.Helper()
	deadline, tick := time.NewTimer(Timeout), time.NewTicker(PollInterval)
	defer deadline.Stop()
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-by.exited():
			require.FailNow(t, "waited for: "+what, "the program ended (%s); %s", by.State(), by.lastOutput())
		case <-deadline.C:
			require.FailNow(t, "waited for: "+what, "timed out after %s; %s", Timeout, by.lastOutput())
		}
	}
}

// AwaitJob waits until reached returns true for a job.
func AwaitJob(t *testing.T, c *rawclient.Client, id string, reached func(*rawclient.Job) bool) *rawclient.Job {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Timeout)
	defer cancel()
	j, err := c.Wait(ctx, id, PollInterval, nil, reached)
	require.NoError(t, err)
	return j
}
