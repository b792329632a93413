package schedule

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

func TestNext(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{ // after Friday, half past the hour, between two minutes
		"rate(1 minute)":           "2026-11-20T16:31:20Z",
		"rate(12 hours)":           "2026-11-21T04:30:20Z",
		"rate(7 days)":             "2026-11-27T16:30:20Z",
		"cron(* * * * ? *)":        "2026-11-20T16:31:00Z",
		"cron(0 2 * * ? *)":        "2026-11-21T02:00:00Z",
		"cron(30 16 * * ? *)":      "2026-11-21T16:30:00Z",
		"cron(0/15 * * * ? *)":     "2026-11-20T16:45:00Z",
		"cron(*/20 17-19 * * ? *)": "2026-11-20T17:00:00Z",
		"cron(0 10 ? * MON-FRI *)": "2026-11-23T10:00:00Z",
		"cron(0 10 ? 12 SUN *)":    "2026-12-06T10:00:00Z",
		"cron(0 8 31 * ? *)":       "2026-12-31T08:00:00Z",
		"cron(0 8 29 2 ? *)":       "2028-02-29T08:00:00Z",
	} {
		next, _, err := parseExpression(expression)
		require.NoError(t, err)
		got, err := next(time.Date(2026, 11, 20, 16, 30, 20, 0, time.UTC))
		require.NoError(t, err)
		require.Equal(t, want, got.Format(time.RFC3339), expression)
	}
}

func TestNewNamesInvalidSchedule(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{
		"", "rate(1 minutes)", "rate(5 minute)", "rate(0 minutes)", "rate(5 seconds)", "rate(1 minute", "at(2026-01-01T00:00:00)", "cron(daily)",
		"cron(0 2 * * *)", "cron(0 2 * * * *)", "cron(0 2 ? * ? *)", "cron(60 2 * * ? *)", "cron(0 24 * * ? *)", "cron(0 2 0 * ? *)", "cron(0 2 * 13 ? *)",
		"cron(5-1 2 * * ? *)", "cron(*/0 2 * * ? *)", "cron(- 2 * * ? *)", "cron(0 2 30 2 ? *)", "cron(0 2 ? * MON- *)",
		// EventBridge accepts these.
		"cron(0,30 2 * * ? *)", "cron(0 2 L * ? *)", "cron(0 2 15W * ? *)", "cron(0 2 * JAN ? *)", "cron(0 2 ? * 2 *)", "cron(0 2 ? * 2#1 *)", "cron(0 2 * * ? 2030)",
	} {
		_, err := New([]blueprint.Schedule{{Name: "nightly", Expression: expression, Function: "purge"}}, nil)
		require.ErrorContains(t, err, "nightly: schedule", expression)
	}
}

func TestRunFiresSchedules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // fake time starts at midnight, 1 January 2000
		begin := time.Now()
		type fired struct {
			function string
			after    time.Duration
		}
		var all []fired
		var last map[string]any
		firing := make(chan func())
		r, err := New([]blueprint.Schedule{
			{Name: "often", Expression: "rate(1 minute)", Function: "reconcile"},
			{Name: "nightly", Expression: "cron(2 0 * * ? *)", Function: "purge"},
		}, func(_ context.Context, function string, event []byte) {
			done := make(chan struct{})
			firing <- func() {
				all = append(all, fired{function, time.Since(begin)})
				require.NoError(t, json.Unmarshal(event, &last))
				close(done)
			}
			<-done
			if function == "reconcile" {
				time.Sleep(90 * time.Second) // longer than its interval
			}
		})
		require.NoError(t, err)
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute+time.Second)
		defer stop()
		ended := make(chan struct{})
		go func() { r.Run(ctx); close(ended) }()
		for running := true; running; {
			select {
			case record := <-firing:
				record()
			case <-ended:
				running = false
			}
		}
		require.ElementsMatch(t, []fired{
			{"reconcile", 0}, {"purge", 2 * time.Minute}, {"reconcile", 2 * time.Minute}, {"reconcile", 4 * time.Minute},
		}, all)
		require.Equal(t, "Scheduled Event", last["detail-type"])
		require.Equal(t, "aws.events", last["source"])
		require.Equal(t, "2000-01-01T00:04:00Z", last["time"])
		require.Equal(t, []any{"arn:aws:events:us-east-1:000000000000:rule/loadbay-often-local"}, last["resources"])
	})
}
