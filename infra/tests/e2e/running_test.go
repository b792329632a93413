package e2e

import (
	"testing"
	"time"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// longest is what a test, or a group of them, may take on a busy machine.
const longest = 10 * time.Minute

// running is a Loadbay that runs as a process of its own, with what these tests
// ask of it.
type running struct{ *stacktest.Stack }

func start(t *testing.T, env ...string) *running {
	t.Helper()
	return &running{stacktest.Start(t, env...)}
}
