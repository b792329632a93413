package asl_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
)

func TestDelay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		retrier asl.Retrier
		random  float64
		want    []time.Duration
	}{
		"doubling": {asl.Retrier{Interval: time.Second, BackoffRate: 2}, 0.9,
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}},
		"bounded": {asl.Retrier{Interval: 3 * time.Second, BackoffRate: 2, MaxDelay: 10 * time.Second}, 0.9,
			[]time.Duration{3 * time.Second, 6 * time.Second, 10 * time.Second, 10 * time.Second}},
		"even": {asl.Retrier{Interval: 2 * time.Second, BackoffRate: 1}, 0.9,
			[]time.Duration{2 * time.Second, 2 * time.Second}},
		"fraction": {asl.Retrier{Interval: 2 * time.Second, BackoffRate: 1.5}, 0.9,
			[]time.Duration{2 * time.Second, 3 * time.Second, 4500 * time.Millisecond}},
		"jitter": {asl.Retrier{Interval: 2 * time.Second, BackoffRate: 2, FullJitter: true}, 0.25,
			[]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}},
		"zero jitter": {asl.Retrier{Interval: 2 * time.Second, BackoffRate: 2, FullJitter: true}, 0,
			[]time.Duration{0, 0}},
	} {
		for n, want := range c.want {
			require.Equal(t, want, c.retrier.Delay(n, c.random), "%s, retry %d", name, n)
		}
	}
	far := asl.Retrier{Interval: time.Second, BackoffRate: 10}.Delay(400, 0)
	require.Equal(t, 31622400*time.Second, far, "a long delay is capped and does not overflow")
}

func TestErrorEquals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list asl.ErrorEquals
		name string
		want bool
	}{
		{asl.ErrorEquals{"A", "B"}, "B", true},
		{asl.ErrorEquals{"A", "B"}, "C", false},
		{asl.ErrorEquals{"A"}, "a", false},
		{asl.ErrorEquals{}, "A", false},
		{asl.ErrorEquals{"States.ALL"}, "A", true},
		{asl.ErrorEquals{"States.ALL"}, "", true},
		{asl.ErrorEquals{"States.ALL"}, "States.Timeout", true},
		{asl.ErrorEquals{"States.ALL"}, "States.DataLimitExceeded", true},
		{asl.ErrorEquals{"States.ALL"}, "States.Runtime", false},
		{asl.ErrorEquals{"States.Runtime"}, "States.Runtime", false},
		{asl.ErrorEquals{"States.TaskFailed"}, "A", true},
		{asl.ErrorEquals{"States.TaskFailed"}, "Lambda.Unknown", true},
		{asl.ErrorEquals{"States.TaskFailed"}, "States.Timeout", false},
		{asl.ErrorEquals{"States.Timeout"}, "States.Timeout", true},
		{asl.ErrorEquals{"States.Timeout"}, "A", false},
	} {
		require.Equal(t, c.want, c.list.Match(c.name), "%v against %q", c.list, c.name)
	}
}
