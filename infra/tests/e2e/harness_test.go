package e2e

import (
	"testing"
	"time"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// maxWait limits a test, or a group of tests, on a busy machine.
const maxWait = 10 * time.Minute

// testStack is a Loadbay in its own process, with helpers of these
// tests.
type testStack struct{ *stacktest.Stack }

func start(t *testing.T, env ...string) *testStack {
	t.Helper()
	return &testStack{stacktest.Start(t, env...)}
}
