package stacktest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/client"
)

const (
	// Patience bounds every wait for something that must happen.
	Patience = 2 * time.Minute
	// Tick is how often it is looked at.
	Tick = 20 * time.Millisecond
)

// Until waits until a job is as wanted.
func Until(t *testing.T, c *client.Client, id string, reached func(*client.Job) bool) *client.Job {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	j, err := c.Wait(ctx, id, Tick, nil, reached)
	require.NoError(t, err)
	return j
}
