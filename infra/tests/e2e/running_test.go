package e2e

import (
	"testing"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// running is a Loadbay that runs as a process of its own, with what these tests
// ask of it.
type running struct{ *stacktest.Stack }

func start(t *testing.T, env ...string) *running {
	t.Helper()
	return &running{stacktest.Start(t, env...)}
}
