package lambdahost_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A process started for a measurement responds, is ready before that, and receives no other
// invocations. A process that fails the event counts as having responded; one that cannot
// start does not.
func TestColdStartUsesNewProcess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.mustSucceed(`{}`).PID
	c, err := b.ColdStart(t.Context(), "f", []byte(`{"Text":"x"}`))
	require.NoError(t, err)
	var r functionResponse
	require.NoError(t, json.Unmarshal(c.Response, &r))
	require.Equal(t, "x", r.Text)
	require.NotEqual(t, before, r.PID)
	require.Positive(t, c.Ready)
	require.Greater(t, c.FirstResponse, c.Ready)
	require.Positive(t, c.SecondInvocation)
	require.Positive(t, c.CPU)
	require.Equal(t, before, b.mustSucceed(`{}`).PID)
	require.Eventually(t, func() bool { return b.Stats()["f"].Processes == 1 }, waitTimeout, time.Millisecond, "the previous process has ended")

	c, err = b.ColdStart(t.Context(), "f", []byte(`{"Do":"fail","Text":"no such row"}`))
	require.NoError(t, err)
	require.Contains(t, string(c.Response), "no such row")
	_, err = b.ColdStart(t.Context(), "f", []byte(`{"Do":"exit"}`))
	require.ErrorContains(t, err, "exit status 3")
	_, err = b.ColdStart(t.Context(), "g", nil)
	require.ErrorContains(t, err, "Function not found")
}
