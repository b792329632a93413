package outage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/runtime/outage"
)

func TestWakesEndAfterTwoMinutes(t *testing.T) {
	t.Parallel()
	var w outage.Wakes
	morning := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	require.True(t, w.Waking(morning))
	require.True(t, w.Waking(morning.Add(time.Minute)))
	require.False(t, w.Waking(morning.Add(2*time.Minute)), "an outage")
	require.False(t, w.Waking(morning.Add(6*time.Minute)), "it goes on")
	require.True(t, w.Waking(morning.Add(11*time.Minute)), "the database was awake, and has paused")
}
