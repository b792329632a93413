package e2e

import (
	"testing"
	"time"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// maxWait is what a test, or a group of them, may take on a busy machine.
const maxWait = 10 * time.Minute

// testStack is a Loadbay that runs as a process of its own, with what these tests
// ask of it.
type testStack struct{ *stacktest.Stack }

func start(t *testing.T, env ...string) *testStack {
	t.Helper()
	return &testStack{stacktest.Start(t, env...)}
}
